import { budgets } from '../../../src/package/budgets.ts';
import type { Budget } from '../../../src/package/budgets.ts';
import { table } from './table.ts';

/** The limits on scripts, which the suite `size` and, for Next.js, the suite `examples` check. */
export const sizeBudgetsTable = () =>
  table(
    ['Scripts', 'Requests', 'Bytes'],
    Object.values<Budget>(budgets).map(({ scripts, bytes, requests }) => [
      scripts,
      requests?.toLocaleString('en') ?? '',
      bytes.toLocaleString('en'),
    ]),
  );
