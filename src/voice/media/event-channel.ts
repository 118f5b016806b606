import type { RTCDataChannel } from 'werift';
import { maxEventBytes } from './peer-connection.ts';

type Event = Readonly<Record<string, unknown>>;

/** Maximum number of events that are queued until the channel is open. */
const maxQueuedEvents = 200;
/** Maximum number of bytes that the browser has not read. Further events are dropped. */
const maxBufferedBytes = 1_048_576;

/** The data channel `events`: JSON objects in both directions. */
export class EventChannel {
  readonly #onEvent: (event: Event) => void;
  readonly #onDropped: (reason: string) => void;
  readonly #onClosed: () => void;
  #channel: RTCDataChannel | undefined;
  #waiting: string[] = [];

  /** @param onClosed called when the browser closes the channel */
  constructor(onEvent: (event: Event) => void, onDropped: (reason: string) => void, onClosed: () => void) {
    this.#onEvent = onEvent;
    this.#onDropped = onDropped;
    this.#onClosed = onClosed;
  }

  /** Uses a channel of the browser if it is the first one named `events`. */
  use(channel: RTCDataChannel): void {
    if (this.#channel !== undefined || channel.label !== 'events') {
      channel.close();
      return;
    }
    this.#channel = channel;
    channel.onMessage.subscribe((data) => {
      const event = typeof data === 'string' ? readEvent(data) : undefined;
      if (event) this.#onEvent(event);
      else this.#onDropped('an event from the browser is not a JSON object of at most 64 KiB');
    });
    channel.stateChanged.subscribe((state) => {
      if (state === 'closed') this.#onClosed();
      else this.#sendWaiting();
    });
    this.#sendWaiting();
  }

  send(event: Event): void {
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > maxEventBytes) this.#onDropped('an event is longer than 64 KiB');
    else if (this.#waiting.length >= maxQueuedEvents) this.#onDropped('the data channel does not open');
    else this.#waiting.push(text);
    this.#sendWaiting();
  }

  /** Whether the browser has yet to acknowledge sent events. */
  get isSending(): boolean {
    if (this.#channel?.readyState !== 'open') return false;
    const { sctp } = this.#channel.sctp;
    const unconfirmed = sctp['sentQueue'] as readonly unknown[];
    return sctp.outboundQueue.length > 0 || unconfirmed.length > 0;
  }

  #sendWaiting(): void {
    const channel = this.#channel;
    if (channel?.readyState !== 'open') return;
    const texts = this.#waiting;
    this.#waiting = [];
    for (const text of texts) {
      if (channel.bufferedAmount > maxBufferedBytes)
        this.#onDropped('the browser does not read its data channel');
      else this.#trySend(channel, text);
    }
  }

  #trySend(channel: RTCDataChannel, text: string): void {
    try {
      channel.send(text);
    } catch {
      // The browser's offer contains its size limit.
      this.#onDropped('the browser does not accept events of this size');
    }
  }
}

function readEvent(text: string): Event | undefined {
  if (Buffer.byteLength(text) > maxEventBytes) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Event)
      : undefined;
  } catch {
    return undefined;
  }
}
