/*
 * The files that the shell loads when they are needed, as a site's bundler finds them. The builds for script tags
 * replace this module by `shell-module-files.ts`, which names the built files.
 */

/** The chat itself. */
export const loadPanel = () => import('../panel/panel.ts');

/** The teaser beside the launcher, among others. */
export const loadExtras = () => import('../panel/parts/extras.ts');

/** The list of languages besides English. */
export const loadLocales = () => import('../texts/locales.ts');

/** Brings the panel into the browser's cache without running it. A site's bundler has its own ways to do that. */
export const prefetchPanel = (): Promise<unknown> => Promise.resolve();

/** The modules that a conversation needs. */
export const preload = (): Promise<unknown> =>
  Promise.all([loadExtras(), import('../panel/parts/talk.ts'), import('../panel/markdown/markdown.ts')]);
