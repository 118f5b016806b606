import type * as EmbeddingModule from '../embedding.ts';
import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/panel.ts';
import { filesUrl } from './files-url.ts';
import type * as ExtrasModule from '../panel/parts/extras.ts';

/* Replaces `shell-modules.ts` in the builds for script tags: loads the files of the first build by URL. */

/** File names in `dist/chunks`, without their extension; the build defines them. */
declare const builtFiles: Readonly<
  Record<'panel' | 'talk' | 'markdown' | 'extras' | 'embedding' | 'locales', string>
>;
const files = builtFiles;

/** The service that serves the script is the default. */
export const hasOwnOrigin = true;

const urlOf = (file: string): string => new URL(`chunks/${file}.js`, filesUrl).href;

export const loadPanel = async (): Promise<typeof PanelModule> =>
  import(/* @vite-ignore */ urlOf(files.panel)) as Promise<typeof PanelModule>;

export const loadEmbedding = async (): Promise<typeof EmbeddingModule> =>
  import(/* @vite-ignore */ urlOf(files.embedding)) as Promise<typeof EmbeddingModule>;

export const loadExtras = async (): Promise<typeof ExtrasModule> =>
  import(/* @vite-ignore */ urlOf(files.extras)) as Promise<typeof ExtrasModule>;

export const loadLocales = async (): Promise<typeof LocalesModule> =>
  import(/* @vite-ignore */ urlOf(files.locales)) as Promise<typeof LocalesModule>;

/** Prefetches the panel without running it. Never rejects. */
export const prefetchPanel = (): Promise<unknown> => prefetch(files.panel);

/** Prefetches the modules that a conversation needs, so that they can be loaded even if the connection is lost. */
export const preload = (): Promise<unknown> =>
  Promise.all([files.talk, files.markdown, files.extras].map(prefetch));

const requests: Record<string, Promise<unknown> | undefined> = {};

/** Requests each file once per page, even with several chats; again if that failed. Never rejects. */
const prefetch = (file: string): Promise<unknown> =>
  (requests[file] ??= request(file).catch(() => {
    requests[file] = undefined;
  }));

async function request(file: string): Promise<void> {
  await (await fetch(urlOf(file), { priority: 'low' })).arrayBuffer();
}
