import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/panel.ts';

/* `shell-modules.ts` for the builds for script tags: the files of the first build by their addresses. */

/** Addresses below `dist`; the build defines them. */
declare const panelFile: string;
declare const localesFile: string;

/** The script's own address. A classic script has its tag, a module its URL. */
export const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src || import.meta.url;

/** The short snippet `embed/ASSISTANT-UUID.js` lies one level below the other files. */
function urlOf(file: string): string {
  return new URL(file, new URL(/\/embed\/[^/]+$/.test(scriptUrl) ? '..' : '.', scriptUrl)).href;
}

export const loadPanel = async (): Promise<typeof PanelModule> =>
  import(/* @vite-ignore */ urlOf(panelFile)) as Promise<typeof PanelModule>;

export const loadLocales = async (): Promise<typeof LocalesModule> =>
  import(/* @vite-ignore */ urlOf(localesFile)) as Promise<typeof LocalesModule>;

/** Brings the panel's file into the browser's cache without running it. */
export const prefetchPanel = async (): Promise<unknown> =>
  (await fetch(urlOf(panelFile), { priority: 'low' })).arrayBuffer();
