import type { Browser } from 'playwright';
import type { WidgetSite } from '../support/servers/widget-site.ts';
import { BenchPage } from './bench-page.ts';

/** Everything that is noted, in milliseconds but for `shift`, which has no unit. */
export type Notes = Partial<Record<Note, number>>;
export type Note =
  | 'blank painted'
  | 'blank main thread'
  | 'blank blocking'
  | 'launcher painted'
  | 'chat main thread'
  | 'chat blocking'
  | 'shift'
  | 'click to composer'
  | 'own message'
  | `history of ${number}`
  | `answer of ${number}`
  | `longest task of ${number}`;

export interface Visit {
  readonly name: string;
  /** How often it is made in one round: what is short varies more. */
  readonly times: number;
  readonly make: (browser: Browser, site: WidgetSite) => Promise<Notes>;
}

/** A phone's processor, as everyone else's figures take it. */
const slowdown = 4;

const launcher = '[part~=launcher]';

export const visits: readonly Visit[] = [
  { name: 'blank', times: 3, make: blankPage },
  { name: 'chat', times: 3, make: firstVisit },
  { name: 'history', times: 1, make: longHistory(1_000) },
  { name: 'history', times: 1, make: longHistory(10_000) },
  { name: 'answer', times: 1, make: longAnswer(2_000) },
  { name: 'answer', times: 1, make: longAnswer(4_000) },
];

async function blankPage(browser: Browser, { url }: WidgetSite): Promise<Notes> {
  const page = await BenchPage.open(browser, `${url}/blank`, slowdown);
  const painted = await page.painted('page');
  await page.quiet();
  const notes: Notes = {
    'blank painted': painted,
    'blank main thread': await page.mainThread(),
    'blank blocking': blocking(await page.noted('longTasks')),
  };
  await page.close();
  return notes;
}

async function firstVisit(browser: Browser, { url }: WidgetSite): Promise<Notes> {
  const page = await BenchPage.open(browser, `${url}/chat`, slowdown);
  const painted = await page.painted('launcher');
  await page.quiet();
  const notes: Notes = {
    'launcher painted': painted,
    'chat main thread': await page.mainThread(),
    'chat blocking': blocking(await page.noted('longTasks')),
    shift: await page.noted('shift'),
  };
  // A hand near the launcher loads the chat.
  await page.page.hover(launcher);
  await page.quiet();
  notes['click to composer'] = await page.responseTime(() => page.page.mouse.click(...centre), 'composer');
  await page.quiet();
  await page.page.keyboard.type('Write 1 piece');
  await page.quiet();
  notes['own message'] = await page.responseTime(() => page.page.keyboard.press('Enter'), 'own message');
  await page.close();
  return notes;
}

/** Of the launcher, in a window of 1280 by 800. */
const centre = [1232, 752] as const;

function longHistory(count: number): Visit['make'] {
  return async (browser, { url }) => {
    const page = await BenchPage.open(browser, `${url}/chat?history=${String(count)}`, 1);
    await page.page.hover(launcher);
    await page.quiet();
    const took = await page.responseTime(() => page.page.mouse.click(...centre), 'messages', count);
    await page.close();
    return { [`history of ${count}`]: took };
  };
}

function longAnswer(pieces: number): Visit['make'] {
  return async (browser, { url }) => {
    const page = await BenchPage.open(browser, `${url}/chat`, 1);
    await page.page.click(launcher);
    await page.painted('messages');
    await page.page.keyboard.type(`Write ${String(pieces)} pieces`);
    await page.quiet();
    const before = { work: await page.mainThread(), tasks: (await page.noted('longTasks')).length };
    await page.page.keyboard.press('Enter');
    // The first is the assistant's greeting.
    await page.sees('answer', 2);
    const longTasks = (await page.noted('longTasks')).slice(before.tasks);
    const notes: Notes = {
      [`answer of ${pieces}`]: (await page.mainThread()) - before.work,
      [`longest task of ${pieces}`]: Math.max(0, ...longTasks),
    };
    await page.close();
    return notes;
  };
}

/** The part of long tasks in which a visitor's click would have waited. */
function blocking(longTasks: readonly number[]): number {
  return longTasks.reduce((sum, duration) => sum + Math.max(0, duration - 50), 0);
}
