import type { ChatError } from '../../../client/chat-client.ts';
import type { Session } from '../session.ts';

/** Seconds until a retry if the service has not specified them with `Retry-After`. */
const defaultDelay = 30;

/** The maximum delay of a timer, in milliseconds; longer ones would fire immediately. */
const maxDelay = 2 ** 31 - 1;

/** Sends failed messages again without the visitor, at the time of their problem (`retryTime`), unless paused. */
export class Retries {
  readonly #now: () => number;
  readonly #retry: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, retry: () => void) {
    this.#now = now;
    this.#retry = retry;
  }

  /** Schedules a retry at a time, instead of an earlier one. Does nothing for a problem without one. */
  schedule(retryAt: number | undefined): void {
    if (retryAt === undefined || this.#isPaused) return;
    this.stop();
    this.#timer = setTimeout(this.#retry, Math.min(retryAt - this.#now(), maxDelay));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  pause(): void {
    this.#isPaused = true;
    this.stop();
  }

  resume(): void {
    this.#isPaused = false;
  }

  /**
   * Continues with an open conversation after a pause, or when the browser is online again. A message that the service
   * refused as one of too many requests is sent at its time, and the other messages wait for it.
   *
   * @param sendsFailed whether failed messages are sent now if there is none of that kind: the page had removed the chat,
   * or the browser was offline
   */
  continue(session: Session, sendsFailed: boolean): void {
    const refused = session.snapshot.messages.find(({ problem }) => problem?.retryAt);
    if (sendsFailed && !refused) session.requeue();
    else this.schedule(refused?.problem?.retryAt);
  }
}

/**
 * Returns when the browser repeats a failed request by itself, milliseconds since 1970: only after too many requests.
 * After any other error, a retry waits for the visitor, the network or the next message.
 */
export function retryTime({ code, retryAfter = defaultDelay }: ChatError, now: number): number | undefined {
  // At least one second: `Retry-After: 0` would cause an endless loop of requests.
  return code === 'too-many-requests' ? now + Math.max(1, retryAfter) * 1000 : undefined;
}
