import { ChatError } from '../../../client/chat-client.ts';
import type { PanelInput, PreloadedModule } from '../../element/panel-input.ts';
import { loadModule } from '../../load-module.ts';

/** Every lazily loaded module of the panel; the bundler writes one file for each. */
const loaders = {
  talk: () => import('./talk.ts'),
  markdown: () => import('../markdown/markdown.ts'),
  extras: () => import('./extras.ts'),
  builder: () => import('./builder.ts'),
  dictation: () => import('./dictation.ts'),
  call: () => import('./call.ts'),
  gate: () => import('../gate/gate.ts'),
};

/** The shared files that a module consists of or imports. They are downloaded before it runs. */
const files: Readonly<Record<LazyModuleName, readonly PreloadedModule[]>> = {
  talk: ['talk'],
  markdown: ['talk', 'markdown'],
  extras: ['talk', 'extras'],
  call: ['talk', 'extras'],
  dictation: ['talk', 'extras'],
  builder: [],
  gate: [],
};

/** Milliseconds until a module that failed to load is requested again. */
const retryDelay = 5000;

/** Milliseconds after which the panel renders without a module. */
const slowAfter = 3000;

export type LazyModuleName = keyof typeof loaders;

/** The exports of a lazy module. Its `css`, if any, is adopted when it has loaded. */
export type LazyModule<Name extends LazyModuleName> = Awaited<ReturnType<(typeof loaders)[Name]>>;

/** The lazy modules of one panel, loaded or loading. The chat works without any of them. */
export class LazyModules {
  readonly #onLoad: (css: string | undefined) => void;
  /** Downloads the file of a module. A site's bundle also runs it. */
  readonly preload: PanelInput['preload'];
  readonly #requests = new Map<LazyModuleName, Promise<unknown>>();
  readonly #loaded = new Map<LazyModuleName, unknown>();
  /** When a module that failed to load may be requested again, in milliseconds since 1970. */
  readonly #failed = new Map<LazyModuleName, number>();
  /** Modules whose requests take longer than `slowAfter`. */
  readonly #slow = new Set<LazyModuleName>();

  /** @param onLoad called with the styles of a loaded module; with undefined if it has none, failed to load or is slow */
  constructor(onLoad: (css: string | undefined) => void, preload: PanelInput['preload']) {
    this.#onLoad = onLoad;
    this.preload = preload;
  }

  /** The module, if it has loaded. */
  get<Name extends LazyModuleName>(name: Name): LazyModule<Name> | undefined {
    return this.#loaded.get(name) as LazyModule<Name> | undefined;
  }

  /** Whether the module has loaded, failed to load, or takes too long to wait for it. */
  isSettled(name: LazyModuleName): boolean {
    return this.#loaded.has(name) || this.#failed.has(name) || this.#slow.has(name);
  }

  /** Whether the last request for the module failed. */
  isMissing(name: LazyModuleName): boolean {
    return this.#failed.has(name);
  }

  /**
   * Loads the module and adopts its styles. Resolves with undefined if it cannot be loaded now; a later call tries
   * again.
   */
  async load<Name extends LazyModuleName>(name: Name): Promise<LazyModule<Name> | undefined> {
    const known = this.get(name);
    if (known || (this.#failed.get(name) ?? 0) > Date.now()) return known;
    try {
      const loaded: { readonly css?: string } = await this.import(name);
      if (!this.#loaded.has(name)) {
        this.#loaded.set(name, loaded);
        this.#onLoad(loaded.css);
      }
    } catch {
      this.#onLoad(undefined);
    }
    return this.get(name);
  }

  /**
   * Imports the module without adopting its styles, even right after a failed attempt.
   *
   * @throws {ChatError} `network` if it cannot be loaded; a later call tries again
   */
  import<Name extends LazyModuleName>(name: Name): Promise<LazyModule<Name>> {
    const request = this.#requests.get(name) ?? this.#request(name);
    this.#requests.set(name, request);
    return request as Promise<LazyModule<Name>>;
  }

  async #request(name: LazyModuleName): Promise<unknown> {
    const timer = setTimeout(() => {
      this.#slow.add(name);
      this.#onLoad(undefined);
    }, slowAfter);
    try {
      // Firefox never repeats an import that failed, not even for a module that imports the same file.
      await Promise.all(files[name].map(this.preload));
      const loaded = await loadModule<unknown>(loaders[name]);
      this.#failed.delete(name);
      return loaded;
    } catch (cause) {
      this.#requests.delete(name);
      this.#failed.set(name, Date.now() + retryDelay);
      throw new ChatError('network', 'The chat did not load completely.', { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}
