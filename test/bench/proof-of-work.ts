import { readFileSync } from 'node:fs';
import type { Manifest } from 'vite';
import { easiest, hardestAttempts } from '../../src/service/conversation/proof-of-work.ts';
import { openDriver } from '../e2e/driver.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { startWidgetSite } from '../support/servers/widget-site.ts';

/*
 * `npm run bench:proof` measures the built solver, with its pauses, in a page that has just loaded. A visitor makes half
 * of a challenge's attempts on average. Exits with 1 if that takes an engine longer than the limit.
 */
const limit = 300;
const rounds = 7;
const manifest = JSON.parse(readFileSync(`${repository}/dist/chunks/manifest.json`, 'utf8')) as Manifest;
const solver = `/${manifest['src/client/solve-challenge.ts']?.file ?? ''}`;

const site = await startWidgetSite();
console.log('Milliseconds for an average proof of work: lowest, median, highest');
try {
  for (const engine of findEngines()) {
    const driver = await openDriver(engine);
    for (const most of [easiest.attempts, hardestAttempts]) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await driver.open(`${site.url}/chat`);
        times.push(await driver.evaluate(timeSolver, solver, most / 2));
      }
      times.sort((a, b) => a - b);
      const median = times[Math.floor(rounds / 2)] ?? NaN;
      const figures = [times[0] ?? NaN, median, times.at(-1) ?? NaN].map((time) =>
        time.toFixed(0).padStart(6),
      );
      const isOver = median > limit;
      if (isOver) process.exitCode = 1;
      console.log(
        `${engine.name.padEnd(10)} ${String(most / 2).padStart(7)} attempts ${figures.join(' ')} ${isOver ? 'OVER' : 'ok'}`,
      );
    }
    await driver.close();
  }
} finally {
  await site.stop();
}

/** Runs in the page, with a challenge without a solution that is as long as those of the service. */
async function timeSolver(solver: string, attempts: number): Promise<number> {
  const start = performance.now();
  const { solveChallenge } = (await import(solver)) as {
    solveChallenge: (challenge: object, signal: undefined) => Promise<unknown>;
  };
  await solveChallenge(
    {
      ...{ algorithm: 'SHA-256', challenge: '0'.repeat(64), signature: 'f'.repeat(64), maxnumber: attempts },
      salt: `${'f'.repeat(24)}?attempts=100000&conversation=3fa85f64-5717-4562-b3fc-2c963f66afa6&turn=17&`,
    },
    undefined,
  );
  return performance.now() - start;
}
