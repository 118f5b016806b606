import type { Conversation } from '../../../client/chat-client.ts';
import { isPending, type Message } from '../snapshot.ts';

export type HistoryItem = Conversation['history'][number];

/**
 * Returns the service's history, followed by pending messages. Messages that are already shown keep their key and their
 * details. A service may return only the end of a long history; the messages before it stay.
 */
export function mergeHistory(
  messages: readonly Message[],
  history: readonly HistoryItem[],
): readonly Message[] {
  const shown = messages.filter((message) => !isPending(message) && message.status !== 'streaming');
  const keys = new Set(shown.map(({ key }) => key));
  const places = new Places(shown);
  let next = history.length <= shown.length ? startOf(history.map(messageFrom), shown) : 0;
  let earlier: readonly Message[] = [];
  const merged = history.map((item, index) => {
    let message = messageFrom(item, index);
    const at = places.find(message, next);
    const before = shown[at];
    if (before) {
      if (index === 0) earlier = shown.slice(0, at);
      next = at + 1;
      return before;
    }
    for (let n = 1; keys.has(message.key); n++) message = messageFrom(item, `${index}-${n}`);
    keys.add(message.key);
    return message;
  });
  return [...earlier, ...merged, ...messages.filter(isPending)];
}

/**
 * Where a record that is only the end of a history begins among the messages shown: messages such as "Yes" may repeat.
 * 0 if the messages shown do not end with the beginning of the record.
 */
function startOf(record: readonly Message[], shown: readonly Message[]): number {
  const first = shown.length - record.length;
  const isSame = ({ role, text }: Message, at: number): boolean => {
    const message = shown[at];
    if (message?.isStopped) return role === message.role && text.startsWith(message.text);
    return !message || nameOf(role, text) === nameOf(message.role, message.text);
  };
  const found = shown.findIndex(
    (_, start) => start >= first && record.every((message, index) => isSame(message, start + index)),
  );
  return Math.max(0, found);
}

/** Finds messages by role and text, in linear time over a whole history. */
class Places {
  readonly #messages: readonly Message[];
  readonly #byText = new Map<string, number[]>();
  /** Stopped answers: the service may have stored more of their text. */
  readonly #stopped: number[] = [];

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
    messages.forEach(({ role, text, isStopped }, at) => {
      if (isStopped) this.#stopped.push(at);
      else {
        const name = nameOf(role, text);
        const places = this.#byText.get(name) ?? [];
        places.push(at);
        this.#byText.set(name, places);
      }
    });
    for (const places of this.#byText.values()) places.reverse();
  }

  /**
   * Returns the first place of the same message from `start` on; `Infinity` if there is none. `start` never decreases
   * between calls.
   */
  find({ role, text }: Message, start: number): number {
    const places = this.#byText.get(nameOf(role, text)) ?? [];
    while ((places.at(-1) ?? Infinity) < start) places.pop();
    const stopped = this.#stopped.find((at) => {
      const message = this.#messages[at] as Message;
      return at >= start && message.role === role && text.startsWith(message.text);
    });
    return Math.min(places.at(-1) ?? Infinity, stopped ?? Infinity);
  }
}

/** Services may trim the texts that they store. */
function nameOf(role: string, text: string): string {
  return `${role} ${text.trim()}`;
}

/**
 * Turns an entry of the service's history into a message. Tool output becomes an empty message, so that positions in
 * the history stay the same.
 */
export function messageFrom(item: HistoryItem, index: number | string): Message {
  const { role, content, event, duration, author, function_calls, created_at } = item;
  const at = Date.parse(created_at ?? '');
  const isOutput = role === 'tool' || role === 'function';
  return {
    key: `history-${index}`,
    role: isOutput ? 'system' : role,
    text: isOutput ? '' : content,
    status: role === 'user' ? 'sent' : 'done',
    functionCalls: function_calls,
    ...(event && { event }),
    ...(typeof duration === 'number' && { duration }),
    ...(author && { author }),
    ...(at > 0 && { at }),
  };
}
