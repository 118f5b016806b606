import { ChatError } from '../../../client/chat-client.ts';
import type { PanelInput, PreloadedModule } from '../../element/panel-input.ts';
import { loadModule } from '../../load-module.ts';

/** Every lazily loaded module of the panel; the bundler writes one file for each. */
const loaders = {
  messaging: () => import('./messaging.ts'),
  markdown: () => import('../markdown/markdown.ts'),
  extras: () => import('./extras.ts'),
  builder: () => import('./builder.ts'),
  voice: () => import('./voice.ts'),
  gate: () => import('../gate/gate.ts'),
};

/** The shared files that a module consists of or imports. They are downloaded before it runs. */
const files: Readonly<Record<LazyModuleName, readonly PreloadedModule[]>> = {
  messaging: ['messaging'],
  markdown: ['messaging', 'markdown'],
  extras: ['messaging', 'extras'],
  voice: ['messaging'],
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

/** A module that has been requested. */
interface Requested {
  request?: Promise<unknown> | undefined;
  /** Undefined until it has loaded. */
  module?: { readonly css?: string };
  /** When a module that failed to load may be requested again, in milliseconds since 1970. */
  retryAt?: number | undefined;
  /** Whether the request takes longer than `slowAfter`. */
  isSlow?: boolean;
}

/** The lazy modules of one panel, loaded or loading. The chat works without any of them. */
export class LazyModules {
  readonly #onLoad: (css: string | undefined) => void;
  /** Downloads the file of a module. A site's bundle also runs it. */
  readonly preload: PanelInput['preload'];
  readonly #requested = new Map<LazyModuleName, Requested>();

  /** @param onLoad called with the styles of a loaded module; with undefined if it has none, failed to load or is slow */
  constructor(onLoad: (css: string | undefined) => void, preload: PanelInput['preload']) {
    this.#onLoad = onLoad;
    this.preload = preload;
  }

  /** The module, if it has loaded. */
  get<Name extends LazyModuleName>(name: Name): LazyModule<Name> | undefined {
    return this.#requested.get(name)?.module as LazyModule<Name> | undefined;
  }

  /** Whether the module has loaded, failed to load, or takes too long to wait for it. */
  isSettled(name: LazyModuleName): boolean {
    const { module, retryAt, isSlow } = this.#requested.get(name) ?? {};
    return !!(module ?? retryAt ?? isSlow);
  }

  /** Whether the last request for the module failed. */
  isMissing(name: LazyModuleName): boolean {
    return !!this.#requested.get(name)?.retryAt;
  }

  /** Loads the module. Resolves with undefined if it cannot be loaded now; a later call tries again. */
  async load<Name extends LazyModuleName>(name: Name): Promise<LazyModule<Name> | undefined> {
    if ((this.#requested.get(name)?.retryAt ?? 0) > Date.now()) return undefined;
    return this.import(name).catch(() => undefined);
  }

  /**
   * Loads the module, even right after a failed attempt.
   *
   * @throws {ChatError} `network` if it cannot be loaded; a later call tries again
   */
  import<Name extends LazyModuleName>(name: Name): Promise<LazyModule<Name>> {
    const requested = this.#requested.get(name) ?? {};
    this.#requested.set(name, requested);
    return (requested.request ??= this.#request(name, requested)) as Promise<LazyModule<Name>>;
  }

  async #request(name: LazyModuleName, requested: Requested): Promise<unknown> {
    const timer = setTimeout(() => {
      requested.isSlow = true;
      this.#onLoad(undefined);
    }, slowAfter);
    try {
      // Firefox never repeats an import that failed, not even for a module that imports the same file.
      await Promise.all(files[name].map(this.preload));
      requested.module = await loadModule<object>(loaders[name]);
      requested.retryAt = undefined;
      return requested.module;
    } catch (cause) {
      requested.request = undefined;
      requested.retryAt = Date.now() + retryDelay;
      throw new ChatError('network', 'The chat did not load completely.', { cause });
    } finally {
      clearTimeout(timer);
      // By itself, so that an error in it does not make the module fail.
      queueMicrotask(() => {
        this.#onLoad(requested.module?.css);
      });
    }
  }
}
