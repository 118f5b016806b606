import type { ConversationWorld } from '../conversation-world.ts';
import { fingerprint } from './fingerprint.ts';
import type { Outbox } from './outbox.ts';
import {
  openSession,
  readSession,
  variablesOf,
  type Session,
  type SessionRequest,
} from '../history/session.ts';

/** Begins a conversation, or goes on with one. */
export class Opener {
  readonly #world: ConversationWorld;
  readonly #outbox: Outbox;

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
    const outbox = this.#outbox;
    const { apply } = outbox.conversation;
    if (keptId !== undefined) {
      apply({ type: 'opening' });
      const session = await readSession(client, keptId, signal);
      return [keptId, await outbox.withoutSought(session)];
    }
    const variables = variablesOf(request);
    // A key stands for one request: what is asked for differently is another opening.
    const asked = `-${fingerprint(JSON.stringify([request.assistantId, request.type, variables]))}`;
    const key = outbox.openingKey?.endsWith(asked) ? outbox.openingKey : newKey() + asked;
    outbox.openingKey = key;
    // Kept before it is sent: a page may go away at any moment.
    apply({ type: 'opening' });
    const opened = await openSession(client, request, key, signal);
    // One that was left meanwhile may have another opening under way.
    signal.throwIfAborted();
    outbox.openingKey = undefined;
    outbox.told = JSON.stringify(variables);
    return opened;
  }

  /** What was tried is left: the next opening is another one. */
  reset(): void {
    this.#outbox.openingKey = undefined;
  }
}
