import type { ClientTool } from '../../client/chat-client.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { AssistantSettings } from '../element/settings-source.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import type { AddOn, PageToolCall } from './add-on.ts';
import type { PanelContext } from './panel-context.ts';
import type { LazyModuleName } from './modules/lazy-modules.ts';

type Condition = (element: VoiceAssistantChat, settings: AssistantSettings) => unknown;

/** The condition that turns each add-on on, and its module; in the order in which they appear below a message. */
const addOns = {
  voice: ['extras', ({ voice }, { web_calls }) => voice != null || web_calls],
  sound: ['extras', ({ sound }) => sound],
  pageTools: ['extras', ({ tools }) => tools?.length],
  debug: ['builder', ({ debug }) => debug],
  inspector: ['builder', ({ type }) => type === 'test'],
} as const satisfies Record<string, readonly [module: LazyModuleName, isWanted: Condition]>;

type AddOnName = keyof typeof addOns;

/** The add-ons that the site has turned on, each created once its module has loaded. */
export class AddOns {
  readonly #panel: PanelContext;
  readonly #created = new Map<AddOnName, AddOn>();
  #active: readonly AddOn[] = [];
  /** Wanted, but not loaded yet. */
  #missing: readonly AddOnName[] = [];

  constructor(panel: PanelContext) {
    this.#panel = panel;
  }

  /** Starts and stops add-ons according to the element's current attributes. */
  update(): void {
    const wanted = (Object.keys(addOns) as AddOnName[]).filter(
      // A page tool may lead to a route without tools.
      (name) => this.#isWanted(name) || (name === 'pageTools' && this.#created.has(name)),
    );
    const before = this.#active;
    this.#active = wanted.flatMap((name) => this.#created.get(name) ?? []);
    for (const addOn of before) if (!this.#active.includes(addOn)) addOn.stop?.();
    for (const { update } of this.#active) update?.();
    this.#missing = wanted.filter((name) => !this.#created.has(name));
    this.#createMissing();
  }

  /** Call when the conversation has changed. */
  conversationChanged(): void {
    for (const { conversationChanged } of this.#active) conversationChanged?.(this.#panel.conversation);
    this.#createMissing();
  }

  /** The page tools to offer with a message. */
  get tools(): Promise<readonly ClientTool[] | undefined> | undefined {
    if (!this.#isWanted('pageTools')) return undefined;
    return this.#create('pageTools').then(() => this.#created.get('pageTools')?.tools?.());
  }

  below(message: Message): readonly unknown[] {
    return this.#active.map(({ below }) => below?.(message));
  }

  pageToolCalls(message: Message): readonly PageToolCall[] {
    return this.#active.flatMap(({ pageToolCalls }) => pageToolCalls?.(message) ?? []);
  }

  content(place: 'inHeader' | 'inTitles' | 'aboveComposer' | 'inComposer'): readonly unknown[] {
    return this.#active.map((addOn) => addOn[place]?.());
  }

  /** Returns whether a part of the panel stays visible. */
  hide(): boolean {
    return this.#active.map(({ hide }) => hide?.()).includes(true);
  }

  stop(): void {
    for (const { stop } of this.#active) stop?.();
    // If the element is connected again, `update` starts them again.
    this.#active = this.#missing = [];
  }

  #isWanted(name: AddOnName): unknown {
    const { host, options } = this.#panel;
    const [, isWanted] = addOns[name];
    return isWanted(host.element, options.settings);
  }

  /** Also requests those again that could not be loaded. */
  #createMissing(): void {
    for (const name of this.#missing) void this.#create(name);
  }

  async #create(name: AddOnName): Promise<void> {
    const loaded = await this.#panel.modules.load(addOns[name][0]);
    const starts: Partial<Record<AddOnName, (panel: PanelContext) => AddOn>> | undefined = loaded?.addOns;
    const start = starts?.[name];
    if (!start || this.#created.has(name)) return;
    this.#created.set(name, start(this.#panel));
    this.update();
    this.conversationChanged();
    this.#panel.requestRender();
  }
}
