import { loadModule } from '../../load-module.ts';

/** Every lazily loaded module of the panel; the bundler writes one file for each. */
const loaders = {
  talk: () => import('./talk.ts'),
  markdown: () => import('../markdown/markdown.ts'),
  extras: () => import('./extras.ts'),
  builder: () => import('./builder.ts'),
  gate: () => import('../gate/gate.ts'),
};

/** Milliseconds until a module that failed to load is requested again. */
const pause = 5000;

export type LazyModuleName = keyof typeof loaders;

/** The exports of a lazy module. Its `css`, if any, is adopted when it has loaded. */
export type LazyModule<Name extends LazyModuleName> = Awaited<ReturnType<(typeof loaders)[Name]>>;

/** The lazy modules of one panel, loaded or loading. The chat works without any of them. */
export class LazyModules {
  readonly #onLoad: (css: string | undefined) => void;
  readonly #parts = new Map<LazyModuleName, { readonly css?: string }>();
  /** When a module that failed to load may be requested again, in milliseconds since 1970. */
  readonly #failed = new Map<LazyModuleName, number>();
  readonly #loading = new Map<LazyModuleName, Promise<void>>();

  /** @param onLoad called with the styles of a module that has loaded; without, when one failed to load */
  constructor(onLoad: (css: string | undefined) => void) {
    this.#onLoad = onLoad;
  }

  /** The module, if it has loaded. */
  get<Name extends LazyModuleName>(name: Name): LazyModule<Name> | undefined {
    return this.#parts.get(name) as LazyModule<Name> | undefined;
  }

  /** Whether the last request for the module failed. */
  isMissing(name: LazyModuleName): boolean {
    return this.#failed.has(name) && !this.#parts.has(name);
  }

  /** Loads the module, once. Resolves with undefined if it cannot be loaded now; a later call tries again. */
  async load<Name extends LazyModuleName>(name: Name): Promise<LazyModule<Name> | undefined> {
    if ((this.#failed.get(name) ?? 0) > Date.now()) return undefined;
    if (!this.#loading.has(name)) this.#loading.set(name, this.#fetch(name));
    await this.#loading.get(name);
    return this.get(name);
  }

  async #fetch(name: LazyModuleName): Promise<void> {
    try {
      const part = await loadModule<{ readonly css?: string }>(loaders[name]);
      this.#parts.set(name, part);
      this.#onLoad(part.css);
    } catch {
      this.#loading.delete(name);
      this.#failed.set(name, Date.now() + pause);
      this.#onLoad(undefined);
    }
  }
}
