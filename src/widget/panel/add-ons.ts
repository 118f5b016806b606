import type { ClientTool } from '../../client/chat-client.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { AssistantSettings } from '../element/settings-source.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import type { AddOn, PageCall } from './add-on.ts';
import type { PanelContext } from './panel-context.ts';
import type { LazyModules } from './parts/lazy-modules.ts';

/** The condition that turns each add-on on, and its module; in the order in which they appear below a message. */
const addOns = {
  voice: {
    isWanted: ({ voice }: VoiceAssistantChat, { web_calls }: AssistantSettings) => voice != null || web_calls,
    load: async (modules: LazyModules) => (await modules.load('extras'))?.startVoice,
  },
  sound: {
    isWanted: ({ sound }: VoiceAssistantChat) => sound,
    load: async (modules: LazyModules) => (await modules.load('extras'))?.startSound,
  },
  pageTools: {
    isWanted: ({ tools }: VoiceAssistantChat) => !!tools?.length,
    load: async (modules: LazyModules) => (await modules.load('extras'))?.startPageTools,
  },
  debug: {
    isWanted: ({ debug }: VoiceAssistantChat) => debug,
    load: async (modules: LazyModules) => (await modules.load('builder'))?.startDebug,
  },
} as const;

type AddOnName = keyof typeof addOns;

/** The add-ons that the site has turned on, each created once its module has loaded. */
export class AddOns {
  readonly #panel: PanelContext;
  readonly #created = new Map<AddOnName, AddOn>();
  #active: readonly AddOn[] = [];

  constructor(panel: PanelContext) {
    this.#panel = panel;
  }

  /** Starts and stops add-ons according to the element's current attributes. */
  update(): void {
    const {
      host: { element },
      options,
    } = this.#panel;
    const wanted = (Object.keys(addOns) as AddOnName[]).filter((name) =>
      addOns[name].isWanted(element, options.settings),
    );
    const before = this.#active;
    this.#active = wanted.flatMap((name) => this.#created.get(name) ?? []);
    for (const addOn of before) if (!this.#active.includes(addOn)) addOn.stop?.();
    for (const { update } of this.#active) update?.();
    for (const name of wanted) if (!this.#created.has(name)) void this.#create(name);
  }

  /** Call when the conversation has changed. */
  follow(): void {
    for (const { follow } of this.#active) follow?.(this.#panel.conversation);
  }

  /** The functions of the page to offer with a message. */
  get tools(): Promise<readonly ClientTool[] | undefined> | undefined {
    if (!addOns.pageTools.isWanted(this.#panel.host.element)) return undefined;
    return this.#create('pageTools').then(() => this.#created.get('pageTools')?.tools?.());
  }

  below(message: Message): readonly unknown[] {
    return this.#active.map(({ below }) => below?.(message));
  }

  pageCalls(message: Message): readonly PageCall[] {
    return this.#active.flatMap(({ pageCalls }) => pageCalls?.(message) ?? []);
  }

  content(place: 'inHeader' | 'inComposer'): readonly unknown[] {
    return this.#active.map((addOn) => addOn[place]?.());
  }

  /** Returns whether a part of the panel stays visible. */
  hide(): boolean {
    return this.#active.map(({ hide }) => hide?.()).includes(true);
  }

  stop(): void {
    for (const { stop } of this.#active) stop?.();
    // If the element is connected again, `update` starts them again.
    this.#active = [];
  }

  async #create(name: AddOnName): Promise<void> {
    const start = await addOns[name].load(this.#panel.modules);
    if (!start || this.#created.has(name)) return;
    this.#created.set(name, start(this.#panel));
    this.update();
    this.follow();
    this.#panel.draw();
  }
}
