import type { AnsweredBy } from '../../carrier/carrier.ts';
import { waitWithTimeout } from '../../lib/with-timeout.ts';
import { isSpeakable } from '../../voice/words.ts';
import type { ReplyPart, Speaker, Spoken } from '../../voice/line.ts';
import { BufferedReply } from '../speech/buffered-reply.ts';
import { hasUnsaidGreeting } from '../store/call-store.ts';
import type { CallEnding, CallStore, CallProgress, CallResult, CallSettings } from '../store/call-store.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import { CallTranscript } from './call-transcript.ts';
import { chooseFiller } from '../speech/choose-filler.ts';
import { hangUpStatus } from '../outcome/hang-up-status.ts';
import { isPast, tolerance } from './is-past.ts';
import { leaveVoicemail } from './leave-voicemail.ts';
import { MustEndError } from '../store/must-end-error.ts';
import type { CallEvent, LeasedLine, Said } from '../connection/leased-line.ts';
import { PressedKeys } from './pressed-keys.ts';
import { SilenceTimer } from './silence-timer.ts';
import { StartedMinutes } from '../charging/started-minutes.ts';

/** How long the customer of a call that has failed waits for the database, in milliseconds. */
const failureMs = 2000;

const faxAnswered: CallEnding = { status: 'ended_by_assistant', reason: 'fax' };

/** Dependencies of {@link CallConversation}. */
export interface CallConversationOptions {
  line: LeasedLine;
  settings: CallSettings;
  speaker: Speaker;
  callStore: CallStore;
  /** Interrupts the conversation. */
  signal: AbortSignal;
  /** Aborted when the process has to stop, also if the call continues in another one. */
  closing: AbortSignal;
  /** Whether a person or a machine answered, if known when the line was connected. */
  answeredBy?: AnsweredBy;
  /** Set if the call continues on another line. */
  earlier?: CallProgress | undefined;
}

/** The conversation of a call on one line, from the moment it is connected. */
export class CallConversation {
  readonly #options: CallConversationOptions;
  /** On the line's clock. */
  readonly #answeredAt: number;
  readonly #transcript: CallTranscript;
  readonly #minutes: StartedMinutes;
  readonly #silence: SilenceTimer;
  readonly #keys: PressedKeys;
  /** Interrupts the conversation, also if a minute cannot be charged. */
  readonly #signal: AbortSignal;

  constructor(options: CallConversationOptions) {
    const { line, settings, callStore, earlier, signal } = options;
    this.#options = options;
    const answeredAt = (this.#answeredAt = line.now - (earlier?.elapsed ?? 0));
    this.#transcript = new CallTranscript({ line, callStore, answeredAt, earlier: earlier?.messages ?? [] });
    this.#minutes = new StartedMinutes({
      line,
      callStore,
      maxDuration: settings.maxDuration,
      answeredAt,
      charged: earlier?.chargedMinutes ?? 0,
    });
    this.#signal = AbortSignal.any([signal, this.#minutes.signal]);
    this.#silence = new SilenceTimer(
      settings,
      line.now,
      earlier?.messages.some(({ role }) => role === 'user'),
    );
    this.#keys = new PressedKeys(line);
  }

  /**
   * Runs the conversation until one side hangs up or a limit is reached, then hangs up.
   *
   * @returns undefined if the call continues elsewhere: it was transferred, or its connection was lost.
   */
  async run(): Promise<CallResult | undefined> {
    try {
      const ending = await this.#untilEnd();
      if (ending !== 'released') await this.#options.line.hangUp(ending.reason);
      const duration = this.duration;
      await this.#minutes.stop();
      return ending === 'released' ? undefined : { ...ending, duration, messages: this.#transcript.messages };
    } catch (error) {
      // The line is hung up next, and a pending charge may have to wait for the database.
      this.#minutes.cancel();
      throw error;
    }
  }

  /** Seconds since the call was answered, rounded up. */
  get duration(): number {
    return Math.ceil(this.#options.line.now - this.#answeredAt - tolerance);
  }

  async #untilEnd(): Promise<CallEnding> {
    try {
      return (await this.#start()) ?? (await this.#converse());
    } catch (error) {
      if (error instanceof MustEndError) return { status: 'ended', reason: error.reason };
      throw error;
    }
  }

  async #start(): Promise<CallEnding | undefined> {
    const { settings, answeredBy, earlier, speaker } = this.#options;
    const { messages } = this.#transcript;
    await this.#minutes.start();
    this.#signal.throwIfAborted();
    if (answeredBy === 'fax') return faxAnswered;
    const customerSpoke = messages.some(({ role }) => role === 'user');
    // Also if the earlier line was lost before the greeting.
    const greets =
      !messages.some(({ role }) => role === 'assistant') &&
      (customerSpoke
        ? hasUnsaidGreeting(settings, messages)
        : !settings.waitForCustomer && isSpeakable(settings.initialMessage));
    // With `endCallOnVoicemail`, the call would have ended after the message.
    const isMessageLeft = !settings.endCallOnVoicemail && messages.some(({ kind }) => kind === 'voicemail');
    if (answeredBy === 'machine' && !isMessageLeft) {
      const ending = await this.#leaveVoicemail({ waitsForGreeting: !earlier });
      if (ending) return ending;
    }
    if (greets) await this.#greet();
    // Without a sign of it, a customer who is to speak would not know that the line works again.
    else if (earlier) return this.#reply((signal) => speaker.startTurn(earlier.reason, messages, signal));
    return undefined;
  }

  async #greet(): Promise<void> {
    await this.#say(this.#options.settings.initialMessage, 'greeting');
  }

  #leaveVoicemail(options: { waitsForGreeting: boolean }): Promise<CallEnding | undefined> {
    const call = {
      ...this.#options,
      signal: this.#signal,
      say: (text: string) => this.#say(text, 'voicemail'),
      addSaid: (said: Said) => this.#transcript.addSaid(said),
      lineEnded: (event: CallEvent) => this.#handle(event),
    };
    return leaveVoicemail(call, options);
  }

  async #converse(): Promise<CallEnding> {
    const { line, settings } = this.#options;
    const end = this.#answeredAt + settings.maxDuration;
    for (;;) {
      if (isPast(end, line.now)) return { status: 'completed', reason: 'max-duration' };
      for (const at of [line.customerSpokeAt, this.#keys.pressedAt])
        if (at !== undefined) this.#silence.customerActive(at);
      const due = this.#silence.due();
      if (due.action === 'end' && isPast(due.at, line.now))
        return { status: 'ended_by_assistant', reason: 'silence' };
      if (due.action === 'reengage' && isPast(due.at, line.now)) {
        const ending = await this.#reengage();
        if (ending) return ending;
        continue;
      }
      const event = await this.#keys.next(Math.min(end, due.at) - line.now, this.#signal);
      const ending = event && (await this.#handle(event));
      if (ending) return ending;
    }
  }

  async #handle(event: CallEvent): Promise<CallEnding | undefined> {
    switch (event.type) {
      case 'ended':
        if (event.by === 'customer')
          return { status: hangUpStatus(this.#transcript.messages), reason: 'hung-up' };
        if (event.by === 'service') return { status: 'ended', reason: event.reason };
        await this.#options.callStore.release(this.duration);
        return 'released';
      case 'identified':
        return event.by === 'fax' ? faxAnswered : this.#leaveVoicemail({ waitsForGreeting: false });
      case 'dtmf':
        return this.#answer({
          text: `[pressed ${event.digit}]`,
          seconds: 0,
          endedAt: this.#options.line.now,
        });
      case 'said':
        return this.#answer(event);
    }
  }

  async #answer(said: Said): Promise<CallEnding | undefined> {
    const { line, settings, speaker } = this.#options;
    await this.#transcript.addSaid(said);
    this.#silence.customerSpoke(line.now);
    // The last words of a customer who has hung up are stored, but not answered.
    if (line.hasEnded) return undefined;
    // With `waitForCustomer`, the initial message answers the customer's first words.
    if (hasUnsaidGreeting(settings, this.#transcript.messages)) {
      await this.#greet();
      return undefined;
    }
    const before = this.#transcript.messages.slice(0, -1);
    const { fillers } = settings;
    return this.#reply((signal) => speaker.answer(said.text, before, signal), {
      since: said.endedAt,
      filler: fillers && chooseFiller(fillers, said.text, Math.floor(this.#transcript.messages.length / 2)),
    });
  }

  async #reengage(): Promise<CallEnding | undefined> {
    const { line, speaker } = this.#options;
    const silentSince = this.#silence.since;
    const startedAt = line.now;
    const ending = await this.#reply((signal) =>
      speaker.startTurn('silence', this.#transcript.messages, signal),
    );
    this.#silence.reengaged(silentSince, startedAt, line.now);
    return ending;
  }

  /**
   * Speaks a reply while it is generated, then carries out its function calls.
   *
   * @param since when the customer stopped speaking.
   * @param filler said if the answer is slow.
   */
  async #reply(
    generate: (signal: AbortSignal) => AsyncIterable<ReplyPart>,
    { since, filler }: { since?: number; filler?: string | undefined } = {},
  ): Promise<CallEnding | undefined> {
    const { line, signal, closing } = this.#options;
    const reply = new BufferedReply((stopped) => generate(AbortSignal.any([signal, stopped])), filler);
    let spoken: Spoken;
    try {
      spoken = await this.#speak(reply.text());
    } finally {
      reply.stop();
    }
    // A customer who has interrupted needs no more of the answer.
    if (reply.error && spoken.cutOffBy === undefined) spoken = { error: reply.error, ...spoken };
    const functionCalls = [...reply.functionCalls];
    await this.#addSpoken(spoken, { since, functionCalls });
    if (spoken.cutOffBy !== undefined) {
      // Otherwise, the next answer would not know of the calls in progress, and the model would repeat them.
      await reply.untilEnd(AbortSignal.any([closing, this.#minutes.signal]));
      if (this.#minutes.signal.aborted) {
        const { reason } = this.#minutes.signal as { reason: unknown };
        await line.hangUp(reason instanceof MustEndError ? reason.reason : undefined);
        await reply.untilEnd(closing);
      }
      const late = reply.functionCalls.slice(functionCalls.length);
      await this.#addSpoken({ ...spoken, played: '' }, { functionCalls: late });
    }
    if (spoken.error) throw spoken.error;
    this.#minutes.signal.throwIfAborted();
    if (reply.digits !== '') await line.sendDigits(reply.digits);
    // No transfer if the customer has interrupted or hung up.
    if (reply.transferTo !== undefined && spoken.cutOffBy === undefined) {
      await this.#options.callStore.release(this.duration, reply.transferTo);
      await line.leave();
      return 'released';
    }
    // After an interrupted goodbye, the call continues: with the customer, or to leave a message on a detected machine.
    const isUnheard = spoken.cutOffBy === 'customer' || spoken.cutOffBy === 'signal';
    return reply.hangsUp && !isUnheard ? { status: 'ended_by_assistant', reason: 'end-call' } : undefined;
  }

  async #say(text: string, kind: NonNullable<CallMessage['kind']>): Promise<Spoken> {
    const spoken = await this.#speak(oneChunk(text));
    await this.#addSpoken(spoken, { kind });
    if (spoken.error) throw spoken.error;
    this.#minutes.signal.throwIfAborted();
    return spoken;
  }

  #speak(text: AsyncIterable<string>): Promise<Spoken> {
    const { line, settings, signal } = this.#options;
    const seconds = this.#answeredAt + settings.maxDuration - line.now;
    return line.say(text, seconds, signal, this.#minutes.signal);
  }

  async #addSpoken(...[spoken, more]: Parameters<CallTranscript['addSpoken']>): Promise<void> {
    const stored = this.#transcript.addSpoken(spoken, more);
    if (spoken.error) {
      // Not at once: a browser reads the transcript when the call ends. Nor later: the customer waits neither for an outage
      // of the database nor for tools.
      await waitWithTimeout(failureMs, Promise.allSettled([stored]));
      await this.#options.line.hangUp();
    }
    try {
      if (await stored) this.#silence.assistantSpoke(this.#options.line.now);
    } catch (error) {
      // A call that has failed is refunded, whatever else would have ended it.
      throw spoken.error ?? error;
    }
  }
}

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
