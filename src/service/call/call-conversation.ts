import type { EndReason } from '../../contract/call.ts';
import type { AnsweredBy } from '../carrier/carrier.ts';
import type { Spoken } from '../voice/line.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { CallLog, CallResult, CallSettings, CallProgress } from './call-log.ts';
import type { ReplyPart, Speaker } from '../voice/line.ts';
import type { CallEvent, OwnedLine } from './owned-line.ts';
import { chooseFiller } from './choose-filler.ts';
import { hangUpStatus } from './hang-up-status.ts';
import { PressedKeys } from './pressed-keys.ts';
import { SilenceTimer } from './silence-timer.ts';
import { SpokenReply } from './spoken-reply.ts';

/** Dependencies of {@link CallConversation}. */
export interface CallConversationOptions {
  line: OwnedLine;
  settings: CallSettings;
  speaker: Speaker;
  callLog: CallLog;
  signal: AbortSignal;
  /** Who answered, if known when the line was connected. */
  answeredBy?: AnsweredBy;
  /** Set if the call continues on another line. */
  earlier?: CallProgress | undefined;
}

/** An utterance of the customer, which ended at `endedAt` on the line's clock. */
type Said = Omit<Extract<CallEvent, { type: 'said' }>, 'type'>;

/** The status and reason of a conversation's end. `released` means that the call continues elsewhere. */
type Ending = Pick<CallResult, 'status' | 'reason'> | 'released';

/** Thrown if the call cannot continue: a minute could not be charged, or the call has been ended or deleted elsewhere. */
class CallEnded extends Error {
  readonly ending: Ending;

  constructor(reason: EndReason) {
    super(`The call ended: ${reason}`);
    this.ending = { status: 'ended', reason };
  }
}

const secondsPerMinute = 60;

/** The conversation of a call on one line, from the moment it is connected. */
export class CallConversation {
  readonly #options: CallConversationOptions;
  /** On the line's clock. */
  readonly #answeredAt: number;
  readonly #messages: CallMessage[];
  readonly #silence: SilenceTimer;
  readonly #keys: PressedKeys;
  #chargedMinutes: number;

  constructor(options: CallConversationOptions) {
    const { line, settings, earlier } = options;
    this.#options = options;
    this.#answeredAt = line.now - (earlier?.elapsed ?? 0);
    this.#messages = [...(earlier?.messages ?? [])];
    this.#chargedMinutes = earlier?.chargedMinutes ?? 0;
    this.#silence = new SilenceTimer(settings, line.now);
    this.#keys = new PressedKeys(line);
  }

  /**
   * Runs the conversation until one side hangs up or a limit is reached, then hangs up.
   *
   * @returns undefined if the call continues elsewhere: it was transferred, or its connection was lost.
   */
  async run(): Promise<CallResult | undefined> {
    const ending = await this.#untilEnd();
    if (ending === 'released') return undefined;
    await this.#options.line.hangUp(ending.reason);
    return { ...ending, duration: this.#duration, messages: this.#messages };
  }

  get #duration(): number {
    return Math.ceil(this.#options.line.now - this.#answeredAt - tolerance);
  }

  async #untilEnd(): Promise<Ending> {
    try {
      return (await this.#start()) ?? (await this.#converse());
    } catch (error) {
      if (error instanceof CallEnded) return error.ending;
      throw error;
    }
  }

  async #start(): Promise<Ending | undefined> {
    const { settings, answeredBy, earlier, speaker } = this.#options;
    await this.#chargeStartedMinutes();
    if (earlier) {
      return this.#reply((signal) => speaker.startTurn(earlier.reason, this.#messages, signal));
    }
    if (answeredBy === 'fax') return faxAnswered;
    if (answeredBy === 'machine') {
      const ending = await this.#leaveMessage('after its greeting');
      if (ending) return ending;
    }
    if (!settings.waitForCustomer) await this.#greet();
    return undefined;
  }

  async #greet(): Promise<void> {
    const { initialMessage } = this.#options.settings;
    if (initialMessage.trim() !== '') await this.#recordSpoken(await this.#speak(oneChunk(initialMessage)));
  }

  /** Waits for the end of the machine's greeting, since machines record nothing before it. */
  async #leaveMessage(when: 'now' | 'after its greeting'): Promise<Ending | undefined> {
    const { line, settings, signal } = this.#options;
    const { voiceMailMessage: message, endCallOnVoicemail } = settings;
    let isLeft = false;
    if (message.trim() !== '') {
      if (when !== 'now') {
        const event = await line.next(Math.min(maxGreetingSeconds, settings.maxDuration), signal);
        if (event?.type === 'ended') return machineHungUp;
        if (event?.type === 'said') await this.#recordSaid(event);
      }
      const result = await this.#sayToMachine(message);
      if (typeof result === 'object' || result === 'released') return result;
      isLeft = result === 'left';
    }
    if (!endCallOnVoicemail) return undefined;
    return { status: isLeft ? 'completed' : 'ended_by_assistant', reason: 'voicemail' };
  }

  /**
   * Says the voicemail message. After an interruption, such as the machine's tone, it is said again from its start,
   * since nothing before the tone is recorded.
   */
  async #sayToMachine(message: string): Promise<Ending | 'left' | 'interrupted'> {
    const { line, signal } = this.#options;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const spoken = await this.#speak(oneChunk(message));
      await this.#recordSpoken(spoken);
      if (spoken.cutOffBy === undefined) return 'left';
      if (spoken.cutOffBy === 'time') break;
      const event = await line.next(interruptionSeconds, signal);
      if (event?.type === 'ended')
        return event.by === 'customer' ? machineHungUp : ((await this.#handle(event)) ?? 'interrupted');
      if (event?.type === 'said') await this.#recordSaid(event);
    }
    return 'interrupted';
  }

  async #converse(): Promise<Ending> {
    const { line, settings, signal } = this.#options;
    const end = this.#answeredAt + settings.maxDuration;
    for (;;) {
      if (isPast(end, line.now)) return { status: 'completed', reason: 'max-duration' };
      await this.#chargeStartedMinutes();
      if (line.customerSpokeAt !== undefined) this.#silence.speechDetected(line.customerSpokeAt);
      const due = this.#silence.due();
      if (due.action === 'end' && isPast(due.at, line.now))
        return { status: 'ended_by_assistant', reason: 'silence' };
      if (due.action === 'reengage' && isPast(due.at, line.now)) {
        const ending = await this.#reengage();
        if (ending) return ending;
        continue;
      }
      const nextMinute = this.#answeredAt + this.#chargedMinutes * secondsPerMinute;
      const event = await this.#keys.next(Math.min(end, due.at, nextMinute) - line.now, signal);
      const ending = event && (await this.#handle(event));
      if (ending) return ending;
    }
  }

  async #handle(event: CallEvent): Promise<Ending | undefined> {
    switch (event.type) {
      case 'ended':
        if (event.by === 'customer') {
          const hasGreeting = this.#options.settings.initialMessage.trim() !== '';
          return { status: hangUpStatus(this.#messages, hasGreeting), reason: 'hung-up' };
        }
        if (event.by === 'service') return { status: 'ended', reason: event.reason };
        await this.#options.callLog.release(this.#duration);
        return 'released';
      case 'identified':
        return event.by === 'fax' ? faxAnswered : this.#leaveMessage('now');
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

  async #answer(said: Said): Promise<Ending | undefined> {
    const { line, settings, speaker } = this.#options;
    await this.#recordSaid(said);
    this.#silence.customerSpoke(line.now);
    // The last words of a customer who has hung up are stored, but nobody hears an answer.
    if (line.hasEnded) return undefined;
    const isFirst = !this.#messages.some(({ role }) => role === 'assistant');
    // With `waitForCustomer`, the initial message answers the customer's first words.
    if (isFirst && !settings.isGreetingRead && settings.initialMessage.trim() !== '') {
      await this.#greet();
      return undefined;
    }
    const before = this.#messages.slice(0, -1);
    const { fillers } = settings;
    return this.#reply((signal) => speaker.answer(said.text, before, signal), {
      since: said.endedAt,
      filler: fillers && chooseFiller(fillers, said.text, Math.floor(this.#messages.length / 2)),
    });
  }

  async #reengage(): Promise<Ending | undefined> {
    const { line, speaker } = this.#options;
    const silentSince = this.#silence.since;
    const startedAt = line.now;
    const ending = await this.#reply((signal) => speaker.startTurn('silence', this.#messages, signal));
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
  ): Promise<Ending | undefined> {
    const { line, signal } = this.#options;
    const reply = new SpokenReply((stopped) => generate(AbortSignal.any([signal, stopped])), filler);
    let spoken: Spoken;
    try {
      spoken = await this.#speak(reply.text());
    } finally {
      reply.stop();
    }
    await this.#recordSpoken(spoken, { since, functionCalls: reply.functionCalls });
    if (reply.digits !== '') await line.sendDigits(reply.digits);
    // No transfer if the customer has interrupted or hung up.
    if (reply.transferTo !== undefined && spoken.cutOffBy === undefined) {
      await this.#options.callLog.release(this.#duration, reply.transferTo);
      await line.leave();
      return 'released';
    }
    // A customer who interrupts the goodbye has more to say, and a machine that is detected then gets its message.
    const isUnheard = spoken.cutOffBy === 'customer' || spoken.cutOffBy === 'signal';
    return reply.hangsUp && !isUnheard ? { status: 'ended_by_assistant', reason: 'end-call' } : undefined;
  }

  #speak(text: AsyncIterable<string>): Promise<Spoken> {
    const { line, settings, signal } = this.#options;
    return line.say(text, this.#answeredAt + settings.maxDuration - line.now, signal);
  }

  /** Adds the heard text to the transcript. */
  async #recordSpoken(
    { played, startedAt }: Spoken,
    {
      since,
      functionCalls = [],
    }: { since?: number | undefined; functionCalls?: CallMessage['functionCalls'] } = {},
  ): Promise<void> {
    const { line } = this.#options;
    if (played.trim() === '' || startedAt === undefined) {
      // Function calls are recorded even if nothing was played: otherwise the model would repeat them.
      if (functionCalls.length > 0) await this.#record('assistant', '', line.now, { functionCalls });
    } else {
      await this.#record('assistant', played, startedAt, {
        ...(functionCalls.length > 0 && { functionCalls }),
        ...(since !== undefined && { responseTime: roundToMs(Math.max(0, startedAt - since)) }),
      });
      this.#silence.assistantSpoke(line.now);
    }
    await this.#chargeStartedMinutes();
  }

  #recordSaid({ text, seconds, endedAt }: Said): Promise<void> {
    return this.#record('user', text, endedAt - seconds, { seconds });
  }

  /** @throws {CallEnded} if the call has been ended or deleted elsewhere. */
  async #record(
    role: CallMessage['role'],
    content: string,
    at: number,
    more: Partial<CallMessage> = {},
  ): Promise<void> {
    const { callLog, line } = this.#options;
    const since = Math.max(0, at - this.#answeredAt);
    const seconds = Math.max(0, line.now - at);
    this.#messages.push({ role, content, at: since, seconds, ...more });
    const reason = await callLog.saveMessages(this.#messages);
    if (reason !== undefined) throw new CallEnded(reason);
  }

  /**
   * Charges for every started minute, at most for those within the maximum duration.
   *
   * @throws {CallEnded} if a minute cannot be charged.
   */
  async #chargeStartedMinutes(): Promise<void> {
    const elapsed = this.#options.line.now - this.#answeredAt;
    const last = Math.ceil(this.#options.settings.maxDuration / secondsPerMinute);
    const started = Math.min(Math.floor((elapsed + tolerance) / secondsPerMinute) + 1, last);
    while (this.#chargedMinutes < started) {
      const isPaid = await this.#options.callLog.chargeMinute(this.#chargedMinutes + 1);
      if (isPaid !== true) throw new CallEnded(isPaid === false ? 'balance' : isPaid);
      this.#chargedMinutes += 1;
    }
  }
}

const machineHungUp: Ending = { status: 'ended_by_customer', reason: 'voicemail' };
const faxAnswered: Ending = { status: 'ended_by_assistant', reason: 'fax' };

/** Allows for rounding errors in sums of fractions. */
const tolerance = 0.01;
const isPast = (time: number, now: number) => now >= time - tolerance;
const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Attempts to leave a voicemail message. */
const maxAttempts = 3;
/** Longest wait for what was said in an interruption of the message. */
const interruptionSeconds = 2;
/** Longest wait for the end of an answering machine's greeting. */
const maxGreetingSeconds = 30;

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
