import { catalog } from '../../../src/service/telemetry/catalog.ts';
import type { Metric } from '../../../src/service/telemetry/catalog.ts';
import { code, table } from './table.ts';

/** The metrics, with the names that Prometheus sees. */
export const metricsTable = () =>
  table(
    ['Metric', 'Labels', 'Measures'],
    Object.entries<Metric>(catalog).map(([name, { kind, labels, description }]) => [
      code(prometheusName(name) + (kind === 'counter' ? '_total' : '')),
      labels.map((label) => code(prometheusName(label))).join(', '),
      description,
    ]),
  );

const prometheusName = (name: string) => name.replaceAll('.', '_');
