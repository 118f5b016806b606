/** Every part of the panel that loads when it is first needed. One line each: the bundler makes a chunk of it. */
const loaders = {
  addOns: () => import('./add-ons.ts'),
  inspector: () => import('./inspector.ts'),
  markdown: () => import('./markdown/markdown.ts'),
  pageTools: () => import('./page-tools/page-tools.ts'),
  place: () => import('./place/place.ts'),
  messageTools: () => import('./reading/message-tools.ts'),
  problems: () => import('./problem-notice.ts'),
  voice: () => import('./voice/voice.ts'),
  debug: () => import('./debug/debug.ts'),
  reading: () => import('./reading/reading.ts'),
  earlier: () => import('./reading/earlier-messages.ts'),
  aboveComposer: () => import('./suggestions/above-composer.ts'),
  gate: () => import('./gate/gate.ts'),
  sound: () => import('./sound/sound.ts'),
  menu: () => import('./menu/menu.ts'),
  reserve: () => import('./reserve.ts'),
};

/** Milliseconds until a part that could not be loaded is asked for again. */
const pause = 5000;

export type LatePartName = keyof typeof loaders;

/** What the module of a late part gives. Its `css`, if it has any, is adopted when it comes. */
export type LatePart<Name extends LatePartName> = Awaited<ReturnType<(typeof loaders)[Name]>>;

/** The parts of one panel that have been loaded, and those on their way. The chat works without any of them. */
export class LateParts {
  readonly #onLoad: (css: string | undefined) => void;
  readonly #parts = new Map<LatePartName, { readonly css?: string }>();
  /** When what could not be loaded may be asked for again, in milliseconds since 1970. */
  readonly #failed = new Map<LatePartName, number>();
  readonly #loading = new Map<LatePartName, Promise<void>>();

  /** @param onLoad takes the styles of a part that has come; called without, when one could not be loaded */
  constructor(onLoad: (css: string | undefined) => void) {
    this.#onLoad = onLoad;
  }

  /** The part, if it is there. */
  get<Name extends LatePartName>(name: Name): LatePart<Name> | undefined {
    return this.#parts.get(name) as LatePart<Name> | undefined;
  }

  /** Whether the part could not be loaded when it was last asked for. */
  isMissing(name: LatePartName): boolean {
    return this.#failed.has(name) && !this.#parts.has(name);
  }

  /** Loads the part, unless that was done; undefined if it cannot be loaded now. A later call tries again. */
  async load<Name extends LatePartName>(name: Name): Promise<LatePart<Name> | undefined> {
    if ((this.#failed.get(name) ?? 0) > Date.now()) return undefined;
    if (!this.#loading.has(name)) this.#loading.set(name, this.#fetch(name));
    await this.#loading.get(name);
    return this.get(name);
  }

  async #fetch(name: LatePartName): Promise<void> {
    try {
      const part = (await loaders[name]()) as { readonly css?: string };
      this.#parts.set(name, part);
      this.#onLoad(part.css);
    } catch {
      this.#loading.delete(name);
      this.#failed.set(name, Date.now() + pause);
      this.#onLoad(undefined);
    }
  }
}
