import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/snapshot.ts';

/** An event of the data channel; OpenAI's Realtime API has the same names. */
export interface CallEvent {
  readonly type: string;
  readonly item_id?: unknown;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly transcript?: unknown;
  readonly reason?: unknown;
}

const transcription = 'conversation.item.input_audio_transcription.';
const speech = 'response.output_audio_transcript.';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The maximum length of a text, in characters: a service may be faulty. */
const maxLength = 20_000;

/** The messages of a call, shown as they are spoken. When the call has ended, the service's history replaces them. */
export class LiveTranscript {
  readonly #conversation: Conversation;
  readonly #session: Conversation['session'];
  readonly #name: string;
  /** The complete texts so far, and the times of their first words, by key. */
  readonly #spoken = new Map<string, { readonly text: string; readonly at: number }>();
  /** The texts that the visitor has typed. */
  readonly typed: string[] = [];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#session = conversation.session;
    this.#name = `call-${Date.now()}`;
  }

  /** Applies an event. Returns the complete text if the assistant has finished a message. */
  apply({ type, item_id, delta, text, transcript }: CallEvent): string | undefined {
    const key = `${this.#name}-${textOf(item_id)}`;
    const before = this.#spoken.get(key)?.text ?? '';
    // The visitor's words may come later than the answer to them, so they get their place now.
    if (type === 'input_audio_buffer.speech_started') this.#show(key, 'user', before, true);
    else if (type === `${transcription}delta`) this.#show(key, 'user', before + textOf(delta), true);
    else if (type === `${transcription}provisional`) this.#show(key, 'user', textOf(text), true);
    else if (type === `${transcription}completed`) this.#show(key, 'user', textOf(transcript));
    else if (type === `${speech}delta`) this.#show(key, 'assistant', before + textOf(delta));
    else if (type === `${speech}done`) {
      this.#show(key, 'assistant', textOf(transcript));
      return textOf(transcript).trim();
    }
    return undefined;
  }

  /** Shows a text that the visitor has typed. */
  type(text: string): void {
    this.typed.push(text);
    this.#show(`${this.#name}-typed-${this.typed.length}`, 'user', text);
  }

  /**
   * Shows a message, or removes it if nothing of it was understood or heard.
   *
   * @param isProvisional whether the words may still change
   */
  #show(key: string, role: Message['role'], text: string, isProvisional = false): void {
    const at = this.#spoken.get(key)?.at ?? this.#conversation.environment.now();
    this.#spoken.set(key, { text: text.slice(0, maxLength), at });
    const shown = text.slice(0, maxLength).trim();
    const last = this.#session.snapshot.messages.at(-1);
    if (!shown && !isProvisional) this.#session.apply({ type: 'removed', keys: [key] });
    // The assistant speaks its greeting, which is there already.
    else if (
      role !== 'assistant' ||
      last?.role !== role ||
      last.key.startsWith(this.#name) ||
      !last.text.startsWith(shown)
    )
      this.#put(key, role, isProvisional ? `${shown} …`.trim() : shown, at);
  }

  #put(key: string, role: Message['role'], text: string, at: number): void {
    const message: Message = {
      key,
      role,
      text,
      // Not `streaming`: screen readers announce such answers, and this one is heard.
      status: role === 'user' ? 'sent' : 'done',
      functionCalls: [],
      at,
    };
    this.#session.apply({ type: 'streamed-elsewhere', messages: [message] });
  }
}
