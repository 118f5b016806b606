import type * as EmbeddingModule from '../embedding.ts';
import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/panel.ts';
import { filesUrl } from './files-url.ts';
import type * as ExtrasModule from '../panel/parts/extras.ts';

/* Replaces `shell-modules.ts` in the builds for script tags: loads the files of the first build by URL. */

/** The hashes in the names of files in `dist/chunks`; the build defines them. */
declare const builtFiles: Readonly<
  Record<'panel' | 'talk' | 'markdown' | 'extras' | 'embedding' | 'locales', string>
>;
const hashes = builtFiles;
type File = keyof typeof hashes;

/** The service that serves the script is the default. */
export const hasOwnOrigin = true;

const urlOf = (file: File): string => new URL(`chunks/${file}-${hashes[file]}.js`, filesUrl).href;

export const loadPanel = async (): Promise<typeof PanelModule> =>
  import(/* @vite-ignore */ urlOf('panel')) as Promise<typeof PanelModule>;

export const loadEmbedding = async (): Promise<typeof EmbeddingModule> =>
  import(/* @vite-ignore */ urlOf('embedding')) as Promise<typeof EmbeddingModule>;

export const loadExtras = async (): Promise<typeof ExtrasModule> =>
  import(/* @vite-ignore */ urlOf('extras')) as Promise<typeof ExtrasModule>;

export const loadLocales = async (): Promise<typeof LocalesModule> =>
  import(/* @vite-ignore */ urlOf('locales')) as Promise<typeof LocalesModule>;

/** Prefetches the panel without running it. Never rejects. */
export const prefetchPanel = (): Promise<unknown> => prefetch('panel');

/** Prefetches the modules that a conversation needs, so that they can be loaded even if the connection is lost. */
export const preload = (): Promise<unknown> =>
  Promise.all((['talk', 'markdown', 'extras'] as const).map(prefetch));

const requests: Record<string, Promise<unknown> | undefined> = {};

/** Requests each file once per page, even with several chats; again if that failed. Never rejects. */
const prefetch = (file: File): Promise<unknown> =>
  (requests[file] ??= request(file).catch(() => {
    requests[file] = undefined;
  }));

async function request(file: File): Promise<void> {
  await (await fetch(urlOf(file), { priority: 'low' })).arrayBuffer();
}
