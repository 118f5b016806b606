import type { ConversationEvent } from '../../conversation/reduce.ts';
import type { Session } from '../../conversation/session.ts';
import type { Message } from '../../conversation/snapshot.ts';

/** An event of the data channel; OpenAI's Realtime API has the same names. */
export interface CallEvent {
  readonly type: string;
  readonly item_id?: unknown;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly transcript?: unknown;
  readonly reason?: unknown;
  readonly error?: { readonly message?: unknown };
}

const transcription = 'conversation.item.input_audio_transcription.';
const speech = 'response.output_audio_transcript.';

/** The maximum length of a text in characters, in case the service is faulty. */
const maxLength = 20_000;

/** Returns a text of an event, shortened; empty if it is no text. */
export const readText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, maxLength) : '';

/** The messages of a call, shown as they are spoken. When the call has ended, the service's history replaces them. */
export interface LiveTranscript {
  /** Applies an event. Returns the complete text if the assistant has finished a message. */
  readonly apply: (event: CallEvent) => string | undefined;
  /** Removes what the visitor was saying when the connection was lost: the service has not understood it. */
  readonly interrupt: () => void;
  /** Shows a text that the visitor has typed. */
  readonly type: (text: string) => void;
  /** Removes the text that was typed last, and returns it. */
  readonly withdraw: () => string;
  /** The texts that the visitor has typed, by their messages' keys, in order. */
  readonly typed: ReadonlyMap<string, string>;
}

/** @param onChange applies a change to the session */
export function createTranscript(
  session: Session,
  onChange: (change: ConversationEvent) => void,
): LiveTranscript {
  const name = `call-${Date.now()}-`;
  /** The messages so far. Their time is that of the first words. */
  const spoken = new Map<string, Message>();
  const typed = new Map<string, string>();
  /** The keys of the messages whose words may still change. */
  const provisional = new Set<string>();
  /** The key of the message that is the greeting, which is already in the log. */
  let greetingKey: string | undefined;
  /**
   * Whether an item of the assistant is its stored greeting. The service speaks that unless the visitor has written before.
   * An item that is shown stays shown.
   */
  const isGreeting = (key: string, text: string): boolean => {
    if (greetingKey !== undefined) return greetingKey === key;
    const { messages } = session.snapshot;
    if (messages.some((message) => message.key === key)) return false;
    const before = messages.filter((message) => !message.key.startsWith(name));
    if (before.some(({ role }) => role === 'user')) return false;
    const greeting = before.find(({ role }) => role === 'assistant');
    if (greeting?.text.startsWith(text)) greetingKey = key;
    return greetingKey === key;
  };
  const remove = (...keys: readonly string[]): void => {
    onChange({ type: 'removed', keys });
  };
  /**
   * Shows a message, or removes it if nothing of it was understood or heard.
   *
   * @param isProvisional whether the words may still change
   */
  const show = (key: string, role: Message['role'], said: string, isProvisional = false): void => {
    const message: Message = {
      key,
      role,
      text: said,
      // Not `streaming`: screen readers announce such answers, and this one is heard.
      status: role === 'user' ? 'sent' : 'done',
      functionCalls: [],
      at: spoken.get(key)?.at ?? session.environment.now(),
    };
    spoken.set(key, message);
    provisional[isProvisional ? 'add' : 'delete'](key);
    const text = said.trim();
    if (!text && !isProvisional) remove(key);
    else if (role === 'user' || !isGreeting(key, text))
      onChange({
        type: 'streamed-elsewhere',
        messages: [{ ...message, isProvisional, text: isProvisional ? `${text} …`.trim() : text }],
      });
  };

  return {
    typed,
    apply: ({ type, item_id, delta, text, transcript }) => {
      const key = name + readText(item_id);
      const before = spoken.get(key)?.text ?? '';
      const said = readText(delta === undefined ? (text ?? transcript ?? before) : before + readText(delta));
      // The visitor's transcript may arrive after the answer to it, so its message is inserted when the speech starts.
      if (type === 'input_audio_buffer.speech_started' || type.startsWith(transcription))
        show(key, 'user', said, !type.endsWith('completed'));
      if (!type.startsWith(speech)) return undefined;
      show(key, 'assistant', said);
      return type.endsWith('done') ? said.trim() : undefined;
    },
    interrupt: () => {
      // The service repeats it if it was not heard.
      greetingKey = undefined;
      remove(...provisional);
      provisional.clear();
    },
    type: (text) => {
      const key = `${name}typed-${typed.size}`;
      typed.set(key, text);
      show(key, 'user', text);
    },
    withdraw: () => {
      const [key, text] = [...typed].at(-1) ?? ['', ''];
      typed.delete(key);
      remove(key);
      return text;
    },
  };
}
