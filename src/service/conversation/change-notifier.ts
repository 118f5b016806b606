import { EventEmitter, once } from 'node:events';
import { withTimeout } from '../lib/with-timeout.ts';

/**
 * Wakes waiters in this process only. They read the database afterwards, so a signal saves time but never decides the
 * outcome. {@link wait} has a time limit. A subscription has none, so its holder has to poll the database as well, as
 * `ConversationEvents` does for its streams.
 */
export class ChangeNotifier {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** Resolves at the next signal for `key`, after `milliseconds`, or when aborted, whichever comes first. */
  async wait(key: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    await withTimeout(milliseconds, [signal], async (either) => {
      await once(this.#emitter, key, { signal: either }).catch(() => undefined);
    });
  }

  /** Subscribes to the signals for `key` until closed. */
  subscribe(key: string): Subscription {
    let isPending = false;
    let isClosed = false;
    let wake = Promise.withResolvers<undefined>();
    const receive = () => {
      isPending = true;
      wake.resolve(undefined);
    };
    this.#emitter.on(key, receive);
    return {
      next: async () => {
        if (!isPending && !isClosed) await wake.promise;
        isPending = false;
        wake = Promise.withResolvers();
        return !isClosed;
      },
      close: () => {
        this.#emitter.off(key, receive);
        isClosed = true;
        receive();
      },
    };
  }

  notify(key: string): void {
    this.#emitter.emit(key);
  }
}

/** The signals for one key. A signal that arrives between two waits ends the next wait. */
export interface Subscription {
  /** Resolves at the next signal, or with false once the subscription is closed. */
  next(): Promise<boolean>;
  close(): void;
}

/** Key of the signal that a conversation may have changed. */
export const conversationKey = (conversationId: number): string => `conversation ${conversationId}`;

/** Bounds of the pause between two checks, in milliseconds. It doubles from the first to the last. */
const firstPause = 25;
const lastPause = 1000;

/**
 * Calls `check` until it returns a value, with growing pauses that a signal for `key` cuts short.
 *
 * @throws the signal's reason once it is aborted.
 */
export async function pollUntil<Answer>(
  notifier: ChangeNotifier,
  key: string,
  check: () => Promise<Answer | undefined>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, lastPause)) {
    signal.throwIfAborted();
    const answer = await check();
    if (answer !== undefined) return answer;
    await notifier.wait(key, pause, signal);
  }
}
