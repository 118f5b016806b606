import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { startWidgetSite } from '../support/servers/widget-site.ts';
import { figures } from './figures.ts';
import { visits, type Note } from './visits.ts';

/*
 * `npm run bench` measures the built chat in Chromium, compared with a blank page. Visits of all kinds alternate, so that
 * load on the machine affects all of them, and figures are medians. `--rounds 9` sets the number of rounds, `--only
 * answer` selects visits by name (`blank`, `chat`, `history`, `answer`). Exits with 1 if a figure exceeds its limit.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', multiple: true } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be an integer of at least 1.');
const selected = visits.filter(({ name }) => values.only?.includes(name) ?? true);
if (selected.length === 0)
  throw new Error(`--only must be one of ${[...new Set(visits.map(({ name }) => name))].join(', ')}.`);
const engine = findEngines(['chromium']).find(({ name }) => name === 'chromium');
if (engine?.name !== 'chromium') throw new Error('The bench needs Chromium.');

const notes = new Map<Note, number[]>();
const site = await startWidgetSite();
const browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
try {
  for (let round = 1; round <= rounds; round++) {
    process.stdout.write(`Round ${String(round)} of ${String(rounds)}\n`);
    for (let time = 0; time < Math.max(...selected.map(({ times }) => times)); time++) {
      for (const { make } of selected.filter(({ times }) => time < times)) {
        for (const [note, value] of Object.entries(await make(browser, site)) as [Note, number][])
          notes.set(note, [...(notes.get(note) ?? []), value]);
      }
    }
  }
} finally {
  await browser.close();
  await site.stop();
}

const sorted = (note: Note) => (notes.get(note) ?? []).toSorted((a, b) => a - b);
const quantile = (note: Note, share: number) => {
  const values = sorted(note);
  return values[Math.floor((values.length - 1) * share)] ?? NaN;
};
const rows = figures
  .map(({ name, limit, unit, value }) => ({
    name,
    limit,
    unit,
    figure: value((note) => quantile(note, 0.5)),
  }))
  .filter(({ figure }) => !Number.isNaN(figure));
const show = (value: number, unit: string) =>
  `${value.toFixed(unit === 'ms' ? 0 : 2)} ${unit}`.trim().padStart(9);

console.log(`\n${''.padEnd(46)}   figure     limit`);
for (const { name, limit, unit, figure } of rows)
  console.log(
    `${name.padEnd(46)} ${show(figure, unit)} ${show(limit, unit)}  ${figure <= limit ? 'ok' : 'OVER'}`,
  );
console.log(`\nMeasurements in ms: lowest, median, highest`);
for (const note of notes.keys())
  console.log(
    `${note.padEnd(46)} ${[0, 0.5, 1].map((share) => show(quantile(note, share), 'ms')).join(' ')}`,
  );

for (const chunks of new Set(site.streams.map((stream) => stream.chunks))) {
  const took = Math.max(
    ...site.streams.filter((stream) => stream.chunks === chunks).map((stream) => stream.took),
  );
  if (chunks > 1) console.log(`The service sent ${String(chunks)} chunks in at most ${took.toFixed(0)} ms.`);
}
const load = loadavg()[0] ?? 0;
const processors = availableParallelism();
console.log(
  `Load ${load.toFixed(1)} on ${String(processors)} processors${load > processors ? ': times are too high, since the machine is busy' : ''}.`,
);
process.exitCode = rows.some(({ figure, limit }) => figure > limit) ? 1 : 0;
