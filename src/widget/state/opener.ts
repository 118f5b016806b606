import type { ConversationWorld } from './conversation-world.ts';
import type { Outbox } from './outbox.ts';
import { openSession, readSession, variablesOf, type Session, type SessionRequest } from './session.ts';

/** Begins a conversation, or goes on with one. */
export class Opener {
  readonly #world: ConversationWorld;
  readonly #outbox: Outbox;
  /** Of an opening whose fate is unknown, so that another try does not open a second conversation. */
  #key: string | undefined;

  constructor(world: ConversationWorld, outbox: Outbox) {
    this.#world = world;
    this.#outbox = outbox;
  }

  async open(
    keptId: string | undefined,
    request: SessionRequest,
    signal: AbortSignal,
  ): Promise<[conversationId: string, session: Session]> {
    const { client, newKey } = this.#world;
    if (keptId !== undefined) {
      const session = await readSession(client, keptId, signal);
      return [keptId, await this.#outbox.withoutSought(session)];
    }
    const opened = await openSession(client, request, (this.#key ??= newKey()), signal);
    this.#key = undefined;
    this.#outbox.told = JSON.stringify(variablesOf(request));
    return opened;
  }

  /** What was tried is left: the next opening is another one. */
  reset(): void {
    this.#key = undefined;
  }
}
