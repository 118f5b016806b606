/*
 * The modules that the shell loads on demand, as dynamic imports for a site's bundler. The builds for script tags
 * replace this module with `shell-module-files.ts`, which loads the built files.
 */

/** The chat itself. */
export const loadPanel = () => import('../panel/panel.ts');

/** The teaser beside the launcher, among others. */
export const loadExtras = () => import('../panel/parts/extras.ts');

/** The list of languages besides English. */
export const loadLocales = () => import('../texts/locales.ts');

/** Does nothing: prefetching the panel is up to the site's bundler. */
export const prefetchPanel = (): Promise<unknown> => Promise.resolve();

/** Loads the modules that a conversation needs. */
export const preload = (): Promise<unknown> =>
  Promise.all([loadExtras(), import('../panel/parts/talk.ts'), import('../panel/markdown/markdown.ts')]);
