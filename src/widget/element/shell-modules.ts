/*
 * The modules that the shell loads on demand, as dynamic imports for a site's bundler. The builds for script tags
 * replace this module with `shell-module-files.ts`, which loads the built files.
 */

import type { PreloadedModule } from './panel-input.ts';

/** A bundle is served by the site, so only `base-url` can name the service. */
export const hasOwnOrigin = false as boolean;

/** The service of elements without `base-url`. */
export const defaultBaseUrl = '' as string;

/** A server has no `HTMLElement`: the class can be imported there but not instantiated. */
export const BaseElement: unknown = (globalThis as { HTMLElement?: unknown }).HTMLElement ?? Object;

/**
 * Whether this is a browser. The simulated documents of test runners lack much of what the panel renders with, so there
 * the element has a launcher and its methods, and loads nothing.
 */
const canRender = 'HTMLElement' in globalThis && 'togglePopover' in HTMLElement.prototype;

const never = new Promise<never>(() => undefined);

/** The chat itself. */
export const loadPanel = () => (canRender ? import('../panel/chat-panel.ts') : never);

/** The teaser beside the launcher, among others. */
export const loadExtras = () => (canRender ? import('../panel/modules/extras.ts') : never);

/** The list of languages besides English. */
export const loadLocales = () => import('../texts/locales.ts');

/** Loads a module of the panel, and runs it. Never rejects: the panel imports it again, and handles failures. */
export const preload = (name: PreloadedModule): unknown => preloaded[name]().catch(() => undefined);

const preloaded: Readonly<Record<PreloadedModule, () => Promise<unknown>>> = {
  messaging: () => import('../panel/modules/messaging.ts'),
  markdown: () => import('../panel/markdown/markdown.ts'),
  extras: loadExtras,
};
