import type { Browser } from 'playwright';
import type { WidgetSite } from '../support/servers/widget-site.ts';
import { BenchPage } from './bench-page.ts';

/** Measurements, in milliseconds except for `shift`, which has no unit. */
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
  /** Number of visits in one round; short ones vary more, so they are repeated. */
  readonly times: number;
  readonly make: (browser: Browser, site: WidgetSite) => Promise<Notes>;
}

/** The usual factor to simulate a phone's processor. */
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
  await page.waitUntilIdle();
  const notes: Notes = {
    'blank painted': painted,
    'blank main thread': await page.mainThread(),
    'blank blocking': blocking(await page.recorded('longTasks')),
  };
  await page.close();
  return notes;
}

async function firstVisit(browser: Browser, { url }: WidgetSite): Promise<Notes> {
  const page = await BenchPage.open(browser, `${url}/chat`, slowdown);
  const painted = await page.painted('launcher');
  await page.waitUntilIdle();
  const notes: Notes = {
    'launcher painted': painted,
    'chat main thread': await page.mainThread(),
    'chat blocking': blocking(await page.recorded('longTasks')),
    shift: await page.recorded('shift'),
  };
  // Hovering over the launcher loads the chat.
  await page.page.hover(launcher);
  await page.waitUntilIdle();
  notes['click to composer'] = await page.responseTime(
    () => page.page.mouse.click(...launcherCenter),
    'composer',
  );
  await page.waitUntilIdle();
  await page.page.keyboard.type('Write 1 chunk');
  await page.waitUntilIdle();
  notes['own message'] = await page.responseTime(() => page.page.keyboard.press('Enter'), 'own message');
  await page.close();
  return notes;
}

/** The middle of the launcher in a window of 1280 by 800. */
const launcherCenter = [1232, 752] as const;

function longHistory(count: number): Visit['make'] {
  return async (browser, { url }) => {
    const page = await BenchPage.open(browser, `${url}/chat?history=${String(count)}`, 1);
    await page.page.hover(launcher);
    await page.waitUntilIdle();
    const took = await page.responseTime(() => page.page.mouse.click(...launcherCenter), 'messages', count);
    await page.close();
    return { [`history of ${count}`]: took };
  };
}

function longAnswer(chunks: number): Visit['make'] {
  return async (browser, { url }) => {
    const page = await BenchPage.open(browser, `${url}/chat`, 1);
    await page.page.click(launcher);
    await page.painted('messages');
    await page.page.keyboard.type(`Write ${String(chunks)} chunks`);
    await page.waitUntilIdle();
    const before = { work: await page.mainThread(), tasks: (await page.recorded('longTasks')).length };
    await page.page.keyboard.press('Enter');
    // The first message is the greeting.
    await page.sees('answer', 2);
    const longTasks = (await page.recorded('longTasks')).slice(before.tasks);
    const notes: Notes = {
      [`answer of ${chunks}`]: (await page.mainThread()) - before.work,
      [`longest task of ${chunks}`]: Math.max(0, ...longTasks),
    };
    await page.close();
    return notes;
  };
}

/** Total blocking time: the part of each task beyond 50 ms. */
function blocking(longTasks: readonly number[]): number {
  return longTasks.reduce((sum, duration) => sum + Math.max(0, duration - 50), 0);
}
