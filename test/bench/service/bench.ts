import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../../src/service/open-database.ts';
import { readConfig } from '../../../src/service/config.ts';
import { createLog } from '../../../src/service/log.ts';
import { serve } from '../../../src/service/serve.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { openHeap } from './heap.ts';
import { postJson } from './post-json.ts';
import { recordStatements } from './round-trips.ts';
import type { RoundTrips } from './round-trips.ts';
import { runServer, serviceSettings } from './run-server.ts';
import type { Server } from './run-server.ts';
import { seedOwners } from './seed-owners.ts';
import { openStreams } from './streams.ts';
import { watchConversations } from './watchers.ts';
import { measureThroughput, visitBare, visitService } from './throughput.ts';

/*
 * `npm run bench:service` compares the service, with the offline engine on PostgreSQL, with a bare Hono server that makes
 * the same number of reads and changes, each in a statement of its own. Then it measures memory growth over many
 * messages, concurrent streamed answers, and idle event streams. Exits with 1 if a figure exceeds its limit.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    messages: { type: 'string', default: '100000' },
    streams: { type: 'string', default: '2000' },
    watchers: { type: 'string', default: '2000' },
  },
});
const [rounds, seconds, messages, streams, watchers] = [
  values.rounds,
  values.seconds,
  values.messages,
  values.streams,
  values.watchers,
].map(Number) as [number, number, number, number, number];
/** Concurrent visitors: enough to saturate the processors. */
const visitors = 32;

/** Maximum heap growth in megabytes after the first tenth of the messages; leaves room for caches and pools. */
const heapGrowth = 3;
/** The same for resident memory, which is fragmented and which the runtime releases late. */
const residentGrowth = 60;

const rows: { name: string; figure: string; limit: string; isMet: boolean }[] = [];
const servers: Server[] = [];
const postgres = await startPostgres();
try {
  const databaseUrl = postgres.url('postgres');
  const config = readConfig({
    ...serviceSettings,
    LOG_LEVEL: 'silent',
    WORKERS: 'off',
    DATABASE_URL: databaseUrl,
  });
  const log = createLog('silent');
  const database = await openDatabase(config, log);
  const assistants = await seedOwners(database, visitors);
  const statements = recordStatements();
  const trips = await countRoundTrips();
  await database.close();

  const env = { ...serviceSettings, DATABASE_URL: databaseUrl };
  if (rounds > 0) {
    const service = await start('src/service/main.ts', env);
    const bare = await start('test/bench/service/bare-server.ts', {
      ...env,
      ROUND_TRIPS: JSON.stringify(trips),
    });
    await compare(visitService(service.url, assistants), visitBare(bare.url));
    await Promise.all(servers.splice(0).map(({ child }) => child.stop()));
  }
  if (messages > 0) {
    const service = await start('src/service/main.ts', env, ['--inspect=0']);
    await watchHeap(service, visitService(service.url, assistants));
    await service.child.stop();
  }
  if (streams > 0) {
    const { open, done, took } = await openStreams(databaseUrl, assistants, streams);
    add('streams open at once', `${open}`, `${streams}`, open >= streams);
    add(`streams completed, in ${took.toFixed(0)} ms`, `${done}`, `${streams}`, done === streams);
  }

  if (watchers > 0) {
    const { open, kilobytesEach, idleShare } = await watchConversations(databaseUrl, assistants, watchers);
    add('event streams open at once', `${open}`, `${watchers}`, open === watchers);
    add('memory of each event stream', `${kilobytesEach.toFixed(0)} kB`, '100 kB', kilobytesEach <= 100);
    const share = `${(idleShare * 100).toFixed(1)} %`;
    add('share of a processor while they are idle', share, '10 %', idleShare <= 0.1);
  }

  async function countRoundTrips(): Promise<Record<'/open' | '/message', RoundTrips>> {
    const running = await serve(config, { log, database });
    const [assistant_id] = assistants;
    statements.take();
    const { conversation_id: id } = await postJson(`${running.url}/api/conversations`, { assistant_id });
    const open = statements.take();
    await postJson(`${running.url}/api/conversations/${String(id)}/messages`, { message: 'Question?' });
    const message = statements.take();
    await running.close();
    console.log(
      `Statements of the bare route: ${open.length} to open (${open.join(' ')}), ${message.length} to answer (${message.join(' ')})`,
    );
    return { '/open': open, '/message': message };
  }
} finally {
  await Promise.all(servers.map(({ child }) => child.stop()));
  await postgres.stop();
}

for (const { name, figure, limit, isMet } of rows)
  console.log(`${name.padEnd(52)} ${figure.padStart(10)} ${limit.padStart(10)}  ${isMet ? 'ok' : 'MISSED'}`);
console.log(
  `On ${availableParallelism()} processors, which also ran PostgreSQL and the visitors; RATE_LIMIT=${serviceSettings.RATE_LIMIT}, ` +
    'which avoids the round trip that counts requests per address.',
);
process.exitCode = rows.every(({ isMet }) => isMet) ? 0 : 1;

async function start(...args: Parameters<typeof runServer>): Promise<Server> {
  const server = await runServer(...args);
  servers.push(server);
  return server;
}

function add(name: string, figure: string, limit: string, isMet: boolean): void {
  rows.push({ name, figure, limit, isMet });
}

async function compare(ours: () => Promise<void>, bare: () => Promise<void>): Promise<void> {
  for (const visit of [ours, bare]) await measureThroughput(visit, visitors, 3000);
  const ratios: number[] = [];
  const speeds: [number, number][] = [];
  for (let round = 1; round <= rounds; round++) {
    const ourSpeed = await measureThroughput(ours, visitors, seconds * 1000);
    const bareSpeed = await measureThroughput(bare, visitors, seconds * 1000);
    ratios.push(ourSpeed / bareSpeed);
    speeds.push([ourSpeed, bareSpeed]);
    console.log(`Round ${round}: ${ourSpeed.toFixed(0)} requests a second, bare ${bareSpeed.toFixed(0)}`);
  }
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? NaN;
  add('throughput, to a bare route of the same statements', `${ratio.toFixed(2)} ×`, '0.50 ×', ratio >= 0.5);
}

async function watchHeap(service: Server, visit: () => Promise<void>): Promise<void> {
  const heap = await openHeap(service);
  const visitsEach = Math.ceil(messages / 4 / 10 / visitors);
  const sizes: number[] = [];
  const resident: number[] = [];
  for (let step = 1; step <= 10; step++) {
    await Promise.all(
      Array.from({ length: visitors }, async () => {
        for (let count = 0; count < visitsEach; count++) await visit();
      }),
    );
    sizes.push(await heap.used());
    resident.push(await heap.resident());
    console.log(
      `${(step * visitsEach * visitors * 4).toFixed(0)} messages: a heap of ${(sizes.at(-1) ?? 0).toFixed(1)} MB, ` +
        `${(resident.at(-1) ?? 0).toFixed(0)} MB resident`,
    );
  }
  heap.close();
  const figures = [
    ['heap', sizes, heapGrowth],
    ['resident memory', resident, residentGrowth],
  ] as const;
  for (const [name, values, limit] of figures) {
    const growth = (values.at(-1) ?? NaN) - (values[0] ?? NaN);
    add(
      `growth of the ${name} over ${messages} messages`,
      `${growth.toFixed(1)} MB`,
      `${limit} MB`,
      growth <= limit,
    );
  }
}
