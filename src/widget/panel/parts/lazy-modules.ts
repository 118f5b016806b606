import { loadModule } from '../../load-module.ts';

/** Every module of the panel that loads when it is needed; the bundler makes one file of each. */
const loaders = {
  talk: () => import('./talk.ts'),
  markdown: () => import('../markdown/markdown.ts'),
  extras: () => import('./extras.ts'),
  builder: () => import('./builder.ts'),
  gate: () => import('../gate/gate.ts'),
};

/** Milliseconds until a part that could not be loaded is asked for again. */
const pause = 5000;

export type LazyModuleName = keyof typeof loaders;

/** What the module of a late part gives. Its `css`, if it has any, is adopted when it comes. */
export type LazyModule<Name extends LazyModuleName> = Awaited<ReturnType<(typeof loaders)[Name]>>;

/** The parts of one panel that have been loaded, and those on their way. The chat works without any of them. */
export class LazyModules {
  readonly #onLoad: (css: string | undefined) => void;
  readonly #parts = new Map<LazyModuleName, { readonly css?: string }>();
  /** When what could not be loaded may be asked for again, in milliseconds since 1970. */
  readonly #failed = new Map<LazyModuleName, number>();
  readonly #loading = new Map<LazyModuleName, Promise<void>>();

  /** @param onLoad takes the styles of a part that has come; called without, when one could not be loaded */
  constructor(onLoad: (css: string | undefined) => void) {
    this.#onLoad = onLoad;
  }

  /** The part, if it is there. */
  get<Name extends LazyModuleName>(name: Name): LazyModule<Name> | undefined {
    return this.#parts.get(name) as LazyModule<Name> | undefined;
  }

  /** Whether the part could not be loaded when it was last asked for. */
  isMissing(name: LazyModuleName): boolean {
    return this.#failed.has(name) && !this.#parts.has(name);
  }

  /** Loads the part, unless that was done; undefined if it cannot be loaded now. A later call tries again. */
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
