import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eq } from 'drizzle-orm';
import { readConfig } from '../../../src/service/config.ts';
import { assistants } from '../../../src/service/db/schema.ts';
import { createLog } from '../../../src/service/log.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { serve } from '../../../src/service/serve.ts';
import { makeCall } from '../../../src/service/call/start/make-call.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { seedOwners } from './seed-owners.ts';

/*
 * `npm run bench:calls`: how many simulated calls in real time one process runs at once. Each call belongs to another
 * owner. Exits with 1 if fewer are in progress at once, if one does not end as it should, or if they are late.
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '300' } } });
const count = Number(values.calls);
/** Seconds by which all but one call in a hundred may take longer than simulated. */
const maxLateness = 2;

const postgres = await startPostgres();
try {
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    CARRIER_SECONDS: '1',
    MAX_CALLS_IN_PARALLEL: '0',
    MAX_CALLS_PER_DAY: '0',
    DATABASE_URL: postgres.url('postgres'),
  });
  const log = createLog('error');
  const database = await openDatabase(config, log);
  await seedOwners(database, count);
  const owned = await database.db
    .update(assistants)
    .set({ type: 'outbound' })
    .where(eq(assistants.name, 'Bench'))
    .returning({ id: assistants.id, userId: assistants.userId });
  const service = await serve(config, { log, database });
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();

  const jobs = new StoredJobs(database);
  // A person who rings for two seconds and asks three questions.
  const number = (index: number) => `+4989${String(10_000 + index)}00200`;
  const dependencies = { database, jobs, rules: config.calls };
  for (const [index, { id, userId }] of owned.entries())
    await makeCall(dependencies, userId, { assistant_id: id, phone_number: number(index) });

  let most = 0;
  for (let pending = count; pending > 0;) {
    await delay(250);
    const { rows } = await database.pool.query<{ talking: number; pending: number }>(
      `SELECT count(*) FILTER (WHERE status = 'in-progress')::int AS talking,
         count(*) FILTER (WHERE ended_at IS NULL)::int AS pending FROM calls`,
    );
    most = Math.max(most, rows[0]?.talking ?? 0);
    pending = rows[0]?.pending ?? 0;
  }
  loop.disable();
  const { rows: ended } = await database.pool.query<{ status: string; duration: number; late: number }>(
    `SELECT status, duration, extract(epoch FROM ended_at - answered_at)::float - duration AS late FROM calls`,
  );
  await service.close();
  await database.close();

  const completed = ended.filter(({ status }) => status === 'completed').length;
  const late = percentile99(ended.map((call) => call.late));
  const milliseconds = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(0)} ms`;
  console.log(`Calls in progress at once: ${most} of ${count}; completed: ${completed}`);
  console.log(`Duration of a call: ${Math.max(...ended.map(({ duration }) => duration))} s`);
  console.log(`Later than simulated, 99th percentile: ${late.toFixed(2)} s (limit ${maxLateness} s)`);
  console.log(
    `Delay of the event loop: median ${milliseconds(loop.percentile(50))}, 99th percentile ` +
      `${milliseconds(loop.percentile(99))}, maximum ${milliseconds(loop.max)}`,
  );
  console.log(`On ${availableParallelism()} processors, which also ran PostgreSQL.`);
  process.exitCode = most >= count && completed === count && late <= maxLateness ? 0 : 1;
} finally {
  await postgres.stop();
}

function percentile99(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * 0.99) - 1] ?? NaN;
}
