import type * as EmbeddingModule from '../embedding.ts';
import type * as LocalesModule from '../texts/locales.ts';
import type * as PanelModule from '../panel/panel.ts';
import { filesUrl } from './files-url.ts';
import type { PreloadedModule } from './panel-input.ts';
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

/** Loads modules of the panel without running them, so that they can run even if the connection is lost. */
export const preload = (...files: readonly PreloadedModule[]): void => {
  files.forEach(prefetch);
};

/** A browser requests a module once per page, however often it is prefetched, and again only if that failed. */
function prefetch(file: File): void {
  const link = Object.assign(document.createElement('link'), {
    rel: 'modulepreload',
    href: urlOf(file),
    fetchPriority: 'low',
    // A policy may allow scripts by their nonce, which an import inherits and an element does not.
    nonce: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '',
  });
  link.onload = link.onerror = () => {
    link.replaceWith();
  };
  document.documentElement.append(link);
}
