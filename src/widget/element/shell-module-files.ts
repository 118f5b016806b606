import type * as EmbeddingModule from '../embed-special-cases.ts';
import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/chat-panel.ts';
import { filesUrl } from './files-url.ts';
import type { PreloadedModule } from './panel-input.ts';
import type * as ExtrasModule from '../panel/modules/extras.ts';

/* Replaces `shell-modules.ts` in the builds for script tags: loads the files of the first build by URL. */

/** The hashes in the names of files in `dist/chunks`; the build defines them. */
declare const builtFiles: Readonly<
  Record<'panel' | 'messaging' | 'markdown' | 'extras' | 'embedding' | 'locales', string>
>;
const hashes = builtFiles;
type File = keyof typeof hashes;

/** The service that serves the script is the default. */
export const hasOwnOrigin = true;

/**
 * The service that serves the script; empty if an optimizer has put `embed.js` into the page. The class itself has it,
 * since a page may contain both scripts, and the first one defines the element.
 */
export const defaultBaseUrl = (filesUrl as string | undefined)?.replace(/\/v\/[^/]*\/$/, '') ?? '';

/** These builds run in browsers only. */
export const BaseElement: unknown = HTMLElement;

const urlOf = (file: File): string => `${filesUrl}chunks/${file}-${hashes[file]}.js`;

const files: Record<string, Promise<unknown> | undefined> = {};

/** After a failure, `reload`: a server may let browsers cache its errors. */
let cache: RequestCache = 'default';

/** Downloads a file once per page, even with several chats; again if that failed. */
const download = (file: File): Promise<unknown> =>
  (files[file] ??= request(file).catch((cause: unknown) => {
    files[file] = undefined;
    cache = 'reload';
    throw cause;
  }));

async function request(file: File): Promise<unknown> {
  const response = await fetch(urlOf(file), { cache });
  if (!response.ok) throw new Error(response.url);
  return response.arrayBuffer();
}

/** Runs a file. Not before it has been downloaded: browsers do not repeat an import that has failed. */
async function load(file: File): Promise<unknown> {
  await download(file);
  return import(/* @vite-ignore */ urlOf(file));
}

export const loadPanel = (): Promise<typeof PanelModule> => load('panel') as Promise<typeof PanelModule>;

export const loadEmbedding = (): Promise<typeof EmbeddingModule> =>
  load('embedding') as Promise<typeof EmbeddingModule>;

export const loadExtras = (): Promise<typeof ExtrasModule> => load('extras') as Promise<typeof ExtrasModule>;

export const loadLocales = (): Promise<typeof LocalesModule> =>
  load('locales') as Promise<typeof LocalesModule>;

/** Downloads a module of the panel, so that it can run even if the connection is lost. */
export const preload: (name: PreloadedModule) => Promise<unknown> = download;
