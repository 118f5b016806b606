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

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The maximum length of a text, in characters: a service may be faulty. */
const maxLength = 20_000;

/** The messages of a call, shown as they are spoken. When the call has ended, the service's history replaces them. */
export class LiveTranscript {
  readonly #session: Session;
  readonly #onChange: (change: ConversationEvent) => void;
  readonly #name = `call-${Date.now()}`;
  /** The complete texts so far, and the times of their first words, by key. */
  readonly #spoken = new Map<string, { readonly text: string; readonly at: number }>();
  /** The texts that the visitor has typed. */
  readonly typed: string[] = [];

  /** @param onChange applies a change to the session */
  constructor(session: Session, onChange: (change: ConversationEvent) => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  /** Applies an event. Returns the complete text if the assistant has finished a message. */
  apply({ type, item_id, delta, text, transcript }: CallEvent): string | undefined {
    const key = `${this.#name}-${textOf(item_id)}`;
    const before = this.#spoken.get(key)?.text ?? '';
    const said = delta === undefined ? textOf(text ?? transcript ?? before) : before + textOf(delta);
    // The visitor's words may come later than the answer to them, so they get their place when they begin.
    if (type === 'input_audio_buffer.speech_started' || type.startsWith(transcription))
      this.#show(key, 'user', said, !type.endsWith('completed'));
    if (!type.startsWith(speech)) return undefined;
    this.#show(key, 'assistant', said);
    return type.endsWith('done') ? said.trim() : undefined;
  }

  /** Shows a text that the visitor has typed. */
  type(text: string): void {
    this.typed.push(text);
    this.#show(this.#typedKey, 'user', text);
  }

  /** Removes the text that was typed last, and returns it. */
  takeBack(): string {
    this.#onChange({ type: 'removed', keys: [this.#typedKey] });
    return this.typed.pop() ?? '';
  }

  get #typedKey(): string {
    return `${this.#name}-typed-${this.typed.length}`;
  }

  /**
   * Shows a message, or removes it if nothing of it was understood or heard.
   *
   * @param isProvisional whether the words may still change
   */
  #show(key: string, role: Message['role'], text: string, isProvisional = false): void {
    const at = this.#spoken.get(key)?.at ?? this.#session.environment.now();
    const kept = text.slice(0, maxLength);
    this.#spoken.set(key, { text: kept, at });
    const shown = kept.trim();
    const last = this.#session.snapshot.messages.at(-1);
    if (!shown && !isProvisional) this.#onChange({ type: 'removed', keys: [key] });
    // The assistant speaks its greeting, which is there already.
    else if (
      role !== 'assistant' ||
      last?.role !== role ||
      last.key.startsWith(this.#name) ||
      !last.text.startsWith(shown)
    )
      this.#onChange({
        type: 'streamed-elsewhere',
        messages: [
          {
            key,
            role,
            text: isProvisional ? `${shown} …`.trim() : shown,
            // Not `streaming`: screen readers announce such answers, and this one is heard.
            status: role === 'user' ? 'sent' : 'done',
            functionCalls: [],
            at,
          },
        ],
      });
  }
}
