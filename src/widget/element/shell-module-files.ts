import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/panel.ts';
import type * as ExtrasModule from '../panel/parts/extras.ts';

/* `shell-modules.ts` for the builds for script tags: the files of the first build by their addresses. */

/** Addresses below `dist`; the build defines them. */
declare const builtFiles: Readonly<Record<'panel' | 'talk' | 'markdown' | 'extras' | 'locales', string>>;
const files = builtFiles;

/** The script's own address. A classic script has its tag, a module its URL. */
export const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src || import.meta.url;

/** The short snippet `embed/ASSISTANT-UUID.js` lies one level below the other files. */
function urlOf(file: string): string {
  return new URL(file, scriptUrl.replace(/\/embed\/([^/]+)\.js.*/, '/')).href;
}

export const loadPanel = async (): Promise<typeof PanelModule> =>
  import(/* @vite-ignore */ urlOf(files.panel)) as Promise<typeof PanelModule>;

export const loadExtras = async (): Promise<typeof ExtrasModule> =>
  import(/* @vite-ignore */ urlOf(files.extras)) as Promise<typeof ExtrasModule>;

export const loadLocales = async (): Promise<typeof LocalesModule> =>
  import(/* @vite-ignore */ urlOf(files.locales)) as Promise<typeof LocalesModule>;

/** Brings the panel into the browser's cache without running it. */
export const prefetchPanel = (): Promise<unknown> => prefetch(files.panel);

/** The same for the modules that a conversation needs. Once in the cache they survive a lost connection. */
export const prefetchTalk = (): Promise<unknown> =>
  Promise.all([files.talk, files.markdown, files.extras].map(prefetch));

const prefetched = new Set<string>();

/** Requests each file once, however many chats there are. */
async function prefetch(file: string): Promise<void> {
  if (prefetched.has(file)) return;
  prefetched.add(file);
  await (await fetch(urlOf(file), { priority: 'low' })).arrayBuffer();
}
