import type { CallMessage } from '../../db/calls-table.ts';
import type { Spoken } from '../../voice/line.ts';
import type { CallStore } from '../store/call-store.ts';
import { MustEndError } from '../store/must-end-error.ts';
import type { LeasedLine, Said } from '../connection/leased-line.ts';

export interface CallTranscriptOptions {
  line: LeasedLine;
  callStore: CallStore;
  /** On the line's clock. */
  answeredAt: number;
  /** Messages of an earlier line of the call. */
  earlier: readonly CallMessage[];
}

/** The messages of a call, stored one by one. The assistant's messages contain only the part that was heard. */
export class CallTranscript {
  readonly #options: CallTranscriptOptions;
  readonly messages: CallMessage[];

  constructor(options: CallTranscriptOptions) {
    this.#options = options;
    this.messages = [...options.earlier];
  }

  /**
   * Adds the heard part of a text of the assistant.
   *
   * @param since when the customer stopped speaking.
   * @returns whether anything was heard.
   * @throws {MustEndError} if the call has been ended or deleted elsewhere.
   */
  async addSpoken(
    { played, startedAt }: Spoken,
    {
      since,
      functionCalls = [],
      kind,
    }: {
      since?: number | undefined;
      functionCalls?: CallMessage['functionCalls'];
      kind?: CallMessage['kind'];
    } = {},
  ): Promise<boolean> {
    if (played.trim() === '' || startedAt === undefined) {
      // Function calls are recorded even if nothing was heard: otherwise the model would repeat them.
      if (functionCalls.length > 0)
        await this.#add('assistant', '', this.#options.line.now, { functionCalls });
      return false;
    }
    await this.#add('assistant', played, startedAt, {
      ...(functionCalls.length > 0 && { functionCalls }),
      ...(since !== undefined && { responseTime: roundToMs(Math.max(0, startedAt - since)) }),
      ...(kind && { kind }),
    });
    return true;
  }

  /** @throws {MustEndError} if the call has been ended or deleted elsewhere. */
  addSaid({ text, seconds, endedAt }: Said): Promise<void> {
    return this.#add('user', text, endedAt - seconds, { seconds });
  }

  async #add(
    role: CallMessage['role'],
    content: string,
    at: number,
    more: Partial<CallMessage>,
  ): Promise<void> {
    const { answeredAt, callStore, line } = this.#options;
    const since = Math.max(0, at - answeredAt);
    const seconds = Math.max(0, line.now - at);
    this.messages.push({ role, content, at: since, seconds, ...more });
    const reason = await callStore.saveMessages(this.messages);
    if (reason !== undefined) throw new MustEndError(reason);
  }
}

const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000;
