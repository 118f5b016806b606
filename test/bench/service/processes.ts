import { availableParallelism } from 'node:os';
import { readConfig } from '../../../src/service/config.ts';
import { createLog } from '../../../src/service/log.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { runServer, serviceSettings } from './run-server.ts';
import type { Server } from './run-server.ts';
import { seedOwners } from './seed-owners.ts';
import { measureThroughput, visitService } from './throughput.ts';

/*
 * `node test/bench/service/processes.ts`: the requests per second of one, two and three processes of the service on one
 * PostgreSQL server, in turns. All share the processors, so this shows what a further process costs and not what a
 * further machine brings.
 */
const visitors = 32;
const seconds = 6;
const rounds = 3;

const servers: Server[] = [];
const postgres = await startPostgres();
try {
  const env = { ...serviceSettings, DATABASE_URL: postgres.url('postgres') };
  const database = await openDatabase(readConfig({ ...env, WORKERS: 'off' }), createLog('silent'));
  const assistants = await seedOwners(database, visitors);
  await database.close();
  while (servers.length < 3) servers.push(await runServer('src/service/main.ts', env));
  const visits = servers.map(({ url }) => visitService(url, assistants));
  const speeds: number[][] = [[], [], []];
  for (let round = 0; round <= rounds; round++) {
    for (const count of [1, 2, 3]) {
      let next = 0;
      const visit = () => visits[next++ % count]?.() ?? Promise.resolve();
      const speed = await measureThroughput(visit, visitors, round === 0 ? 3000 : seconds * 1000);
      // The first round warms up.
      if (round > 0) speeds[count - 1]?.push(speed);
    }
  }
  for (const [index, found] of speeds.entries()) {
    const median = found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)] ?? NaN;
    console.log(`${index + 1} process${index > 0 ? 'es' : ''}: ${median.toFixed(0)} requests a second`);
  }
  console.log(`On ${availableParallelism()} processors, which also ran PostgreSQL and the visitors.`);
} finally {
  await Promise.all(servers.map(({ child }) => child.stop()));
  await postgres.stop();
}
