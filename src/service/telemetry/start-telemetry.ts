import process from 'node:process';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { DiagLogger } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { OperatorError } from '../operator-error.ts';
import { turnOn } from './instruments.ts';

type Environment = Record<string, string | undefined>;

/** Returns the value of a signal's exporter: its own variable, else `otlp` if an endpoint is named, else `none`. */
function exporterOf(signal: 'METRICS' | 'TRACES', env: Environment): string {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  return env[`OTEL_${signal}_EXPORTER`] ?? (endpoint === undefined ? 'none' : 'otlp');
}

/** The exporters of the SDK, which ignores other names. */
const known = {
  OTEL_METRICS_EXPORTER: ['otlp', 'prometheus', 'console', 'none'],
  OTEL_TRACES_EXPORTER: ['otlp', 'zipkin', 'console', 'none'],
};

/** @throws OperatorError if a variable names an exporter that does not exist. */
function checkExporters(exporters: Record<keyof typeof known, string>): void {
  for (const variable of Object.keys(known) as (keyof typeof known)[]) {
    const names = exporters[variable].split(',').map((name) => name.trim());
    const unknown = names.find((name) => !known[variable].includes(name));
    if (unknown !== undefined)
      throw new OperatorError(`${variable} must be ${known[variable].join(', ')}: "${unknown}" is not.`);
  }
}

/**
 * Starts OpenTelemetry's SDK if the standard variables (`OTEL_…`) name an exporter; else it is not even loaded.
 *
 * @returns a function that sends what is left and ends it.
 * @throws OperatorError if an exporter does not exist.
 */
export async function startTelemetry(env: Environment, log: Logger): Promise<() => Promise<void>> {
  const exporters = {
    OTEL_METRICS_EXPORTER: exporterOf('METRICS', env),
    OTEL_TRACES_EXPORTER: exporterOf('TRACES', env),
  };
  const isOff =
    env['OTEL_SDK_DISABLED'] === 'true' || Object.values(exporters).every((name) => name === 'none');
  if (isOff) return () => Promise.resolve();
  checkExporters(exporters);
  // The SDK reads the environment of the process.
  const defaults = {
    OTEL_SERVICE_NAME: 'voice-assistant-chat-service',
    // The detectors of the process and the host would add its arguments and names to every metric.
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    OTEL_LOGS_EXPORTER: 'none',
    // Metrics are not public.
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
  };
  Object.assign(process.env, { ...defaults, ...env, ...exporters });
  // Otherwise the SDK keeps its errors to itself, such as a port in use. It also warns of `none`, which is no problem.
  diag.setLogger(createDiagLogger(log), DiagLogLevel.ERROR);
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK();
  sdk.start();
  turnOn();
  return () => sdk.shutdown();
}

function createDiagLogger(log: Logger): DiagLogger {
  const ignore = () => undefined;
  const error = (...parts: unknown[]) => {
    log.error(`telemetry: ${parts.map(String).join(' ')}`);
  };
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}
