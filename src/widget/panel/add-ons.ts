import type { ClientTool } from '../../client/chat-client.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import type { AddOn, AddOnReach, PageCall } from './add-on.ts';

/** What makes a site ask for each add-on. */
const wishes = {
  // In the order in which they stand below a message.
  voice: ({ voice }: VoiceAssistantChat) => voice,
  sound: ({ sound }: VoiceAssistantChat) => sound,
  pageTools: ({ tools }: VoiceAssistantChat) => tools?.length,
  debug: ({ debug }: VoiceAssistantChat) => debug,
} as const;

type AddOnName = keyof typeof wishes;

export function createAddOns(panel: AddOnReach): AddOns {
  return new AddOns(panel);
}

/** The add-ons that the site asks for, as far as they have come. They load with the first that is asked for. */
export class AddOns {
  readonly #reach: AddOnReach;
  readonly #made = new Map<AddOnName, AddOn>();
  #active: readonly AddOn[] = [];

  constructor(reach: AddOnReach) {
    this.#reach = reach;
    this.update();
  }

  /** Goes by what the site wants now. */
  update(): void {
    const { element } = this.#reach.host;
    const wanted = (Object.keys(wishes) as AddOnName[]).filter((name) => wishes[name](element));
    const before = this.#active;
    this.#active = wanted.flatMap((name) => this.#made.get(name) ?? []);
    for (const addOn of before) if (!this.#active.includes(addOn)) addOn.stop?.();
    for (const { update } of this.#active) update?.();
    for (const name of wanted) if (!this.#made.has(name)) void this.#make(name);
  }

  /** Something happened in the conversation. */
  follow(): void {
    for (const { follow } of this.#active) follow?.(this.#reach.state().conversation);
  }

  /** The functions of the page that go with a message. */
  get tools(): Promise<readonly ClientTool[] | undefined> | undefined {
    if (!wishes.pageTools(this.#reach.host.element)) return undefined;
    return this.#make('pageTools').then(() => this.#made.get('pageTools')?.tools?.());
  }

  below(message: Message): readonly unknown[] {
    return this.#active.map(({ below }) => below?.(message));
  }

  pageCalls(message: Message): readonly PageCall[] {
    return this.#active.flatMap(({ pageCalls }) => pageCalls?.(message) ?? []);
  }

  get besideField(): readonly unknown[] {
    return this.#active.map(({ besideField }) => besideField?.());
  }

  hide(): void {
    for (const { hide } of this.#active) hide?.();
  }

  stop(): void {
    for (const { stop } of this.#active) stop?.();
    // Should the element come back, they are updated, and go on.
    this.#active = [];
  }

  async #make(name: AddOnName): Promise<void> {
    const part = await this.#reach.late.load(name);
    if (!part || this.#made.has(name)) return;
    this.#made.set(name, part.start(this.#reach));
    this.update();
    this.follow();
    this.#reach.draw();
  }
}
