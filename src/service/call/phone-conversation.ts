import type { AnsweredBy, Line } from '../carrier/carrier.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { CallLog, CallResult, CallSettings, Speaker } from './call-parts.ts';
import { SilenceTimer } from './silence-timer.ts';

/** Dependencies of {@link PhoneConversation}. */
export interface PhoneConversationParts {
  line: Line;
  settings: CallSettings;
  speaker: Speaker;
  callLog: CallLog;
  signal: AbortSignal;
}

/** Why and with which status a conversation ends. */
type Ending = Pick<CallResult, 'status' | 'reason'>;

const secondsPerMinute = 60;

/** The conversation of a call, from the moment it is answered. */
export class PhoneConversation {
  readonly #parts: PhoneConversationParts;
  readonly #answeredAt: number;
  readonly #lines: CallMessage[] = [];
  readonly #silence: SilenceTimer;
  #chargedMinutes = 0;

  constructor(parts: PhoneConversationParts) {
    this.#parts = parts;
    this.#answeredAt = parts.line.now;
    this.#silence = new SilenceTimer(parts.settings, parts.line.now);
  }

  /** Talks until one side hangs up or a limit is reached, then hangs up. */
  async run(by: AnsweredBy): Promise<CallResult> {
    const ending = (await this.#start(by)) ?? (await this.#converse());
    await this.#parts.line.hangUp();
    const duration = Math.ceil(this.#parts.line.now - this.#answeredAt);
    return { ...ending, answeredBy: by, duration, lines: this.#lines };
  }

  async #start(by: AnsweredBy): Promise<Ending | undefined> {
    const { settings } = this.#parts;
    if (!(await this.#chargeStartedMinutes())) return insufficientBalance;
    if (by === 'machine') {
      const ending = await this.#leaveMessage();
      if (ending) return ending;
    }
    return settings.waitForCustomer ? undefined : this.#greet();
  }

  async #greet(): Promise<Ending | undefined> {
    const { initialMessage } = this.#parts.settings;
    return initialMessage.trim() === '' ? undefined : this.#say(initialMessage);
  }

  /** Waits for the end of the machine's greeting, since nothing is recorded before. */
  async #leaveMessage(): Promise<Ending | undefined> {
    const { line, settings, signal } = this.#parts;
    const { voiceMailMessage: message, endCallOnVoicemail } = settings;
    if (message.trim() !== '') {
      const event = await line.next(Math.min(maxGreetingSeconds, settings.maxDuration), signal);
      if (event?.type === 'hung-up') return { status: 'ended_by_customer', reason: 'voicemail' };
      if (event?.type === 'said') await this.#recordLine('user', event.text, line.now - event.seconds);
      const ending = await this.#say(message);
      if (ending) return ending;
    }
    if (!endCallOnVoicemail) return undefined;
    return { status: message.trim() === '' ? 'ended_by_assistant' : 'completed', reason: 'voicemail' };
  }

  async #converse(): Promise<Ending> {
    const { line, settings, signal } = this.#parts;
    const end = this.#answeredAt + settings.maxDuration;
    for (;;) {
      if (isPast(end, line.now)) return { status: 'completed', reason: 'max-duration' };
      if (!(await this.#chargeStartedMinutes())) return insufficientBalance;
      const due = this.#silence.due();
      if (due.action === 'end' && isPast(due.at, line.now))
        return { status: 'ended_by_assistant', reason: 'silence' };
      if (due.action === 'reengage' && isPast(due.at, line.now)) {
        const ending = await this.#reengage();
        if (ending) return ending;
        continue;
      }
      const nextMinute = this.#answeredAt + this.#chargedMinutes * secondsPerMinute;
      const event = await line.next(Math.min(end, due.at, nextMinute) - line.now, signal);
      if (event?.type === 'hung-up') return this.#customerHungUp();
      if (event?.type !== 'said') continue;
      await this.#recordLine('user', event.text, line.now - event.seconds);
      const ending = await this.#answer(event.text);
      if (ending) return ending;
    }
  }

  async #answer(said: string): Promise<Ending | undefined> {
    const { line, settings, speaker, signal } = this.#parts;
    this.#silence.customerSpoke(line.now);
    const isFirst = !this.#lines.some(({ role }) => role === 'assistant');
    // With `waitForCustomer`, the initial message answers the customer's first words.
    if (isFirst && settings.initialMessage.trim() !== '') return this.#greet();
    const reply = await speaker.answer(said, this.#lines.slice(0, -1), signal);
    return this.#performReply(reply);
  }

  async #reengage(): Promise<Ending | undefined> {
    const { line, speaker, signal } = this.#parts;
    const silentSince = this.#silence.since;
    const startedAt = line.now;
    const reply = await speaker.reengage(this.#lines, signal);
    const ending = await this.#performReply(reply);
    this.#silence.reengaged(silentSince, startedAt, line.now);
    return ending;
  }

  async #performReply(reply: Awaited<ReturnType<Speaker['answer']>>): Promise<Ending | undefined> {
    if (reply.text.trim() !== '') {
      const ending = await this.#say(reply.text, reply.functionCalls);
      if (ending) return ending;
    }
    if (reply.transferTo !== undefined) {
      await this.#parts.line.transfer(reply.transferTo);
      return { status: 'completed', reason: 'transfer' };
    }
    return reply.hangUp ? { status: 'ended_by_assistant', reason: 'end-call' } : undefined;
  }

  async #say(text: string, functionCalls?: CallMessage['functionCalls']): Promise<Ending | undefined> {
    const { line, settings, signal } = this.#parts;
    const startedAt = line.now;
    await line.say(text, this.#answeredAt + settings.maxDuration - startedAt, signal);
    await this.#recordLine('assistant', text, startedAt, functionCalls);
    this.#silence.assistantSpoke(line.now);
    return (await this.#chargeStartedMinutes()) ? undefined : insufficientBalance;
  }

  async #recordLine(
    role: CallMessage['role'],
    content: string,
    at: number,
    functionCalls?: CallMessage['functionCalls'],
  ): Promise<void> {
    const { callLog, line } = this.#parts;
    const since = Math.max(0, at - this.#answeredAt);
    const seconds = Math.max(0, line.now - at);
    this.#lines.push({ role, content, at: since, seconds, ...(functionCalls && { functionCalls }) });
    await callLog.saveLines(this.#lines);
  }

  /** Charges for every started minute, at most for those within the maximum duration. */
  async #chargeStartedMinutes(): Promise<boolean> {
    const elapsed = this.#parts.line.now - this.#answeredAt;
    const last = Math.ceil(this.#parts.settings.maxDuration / secondsPerMinute);
    const started = Math.min(Math.floor((elapsed + tolerance) / secondsPerMinute) + 1, last);
    while (this.#chargedMinutes < started) {
      if (!(await this.#parts.callLog.chargeMinute(this.#chargedMinutes + 1))) return false;
      this.#chargedMinutes += 1;
    }
    return true;
  }

  /** A call counts as completed if the assistant has answered the customer's last words. */
  #customerHungUp(): Ending {
    const roles = this.#lines.map(({ role }) => role);
    const opened = roles.indexOf('assistant');
    const replied = opened >= 0 && roles.lastIndexOf('user') > opened && roles.at(-1) === 'assistant';
    return { status: replied ? 'completed' : 'ended_by_customer', reason: 'hung-up' };
  }
}

const insufficientBalance: Ending = { status: 'ended', reason: 'balance' };

/** Allows for rounding errors in sums of fractions. */
const tolerance = 0.01;
const isPast = (time: number, now: number) => now >= time - tolerance;

/** Longest wait for the end of an answering machine's greeting. */
const maxGreetingSeconds = 30;
