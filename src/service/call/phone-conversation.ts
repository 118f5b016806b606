import type { AnsweredBy, Line } from '../carrier/carrier.ts';
import type { CallLine } from '../db/calls-table.ts';
import type { CallBook, CallEnd, CallSettings, Speaker } from './call-parts.ts';
import { Silence } from './silence.ts';

/** What a conversation is held with. */
export interface PhoneParts {
  line: Line;
  settings: CallSettings;
  speaker: Speaker;
  book: CallBook;
  signal: AbortSignal;
}

/** How a conversation ends. */
type Ending = Pick<CallEnd, 'status' | 'reason'>;

const secondsOfMinute = 60;

/** The talk of one call, from the moment in which it is answered. Holds nothing but what was said and since when. */
export class PhoneConversation {
  readonly #parts: PhoneParts;
  readonly #answeredAt: number;
  readonly #lines: CallLine[] = [];
  readonly #silence: Silence;
  #paidMinutes = 0;

  constructor(parts: PhoneParts) {
    this.#parts = parts;
    this.#answeredAt = parts.line.now;
    this.#silence = new Silence(parts.settings, parts.line.now);
  }

  /** Talks until one side hangs up or a limit is reached; the line is free afterwards. */
  async hold(by: AnsweredBy): Promise<CallEnd> {
    const ending = (await this.#begin(by)) ?? (await this.#goOn());
    await this.#parts.line.hangUp();
    const duration = Math.ceil(this.#parts.line.now - this.#answeredAt);
    return { ...ending, answeredBy: by, duration, lines: this.#lines };
  }

  async #begin(by: AnsweredBy): Promise<Ending | undefined> {
    const { settings } = this.#parts;
    if (!(await this.#pay())) return outOfMoney;
    if (by === 'machine') {
      const ending = await this.#leaveMessage();
      if (ending) return ending;
    }
    return settings.waitForCustomer ? undefined : this.#open();
  }

  async #open(): Promise<Ending | undefined> {
    const { initialMessage } = this.#parts.settings;
    return initialMessage.trim() === '' ? undefined : this.#say(initialMessage);
  }

  /** Waits until the machine has said its piece, since nothing is recorded before. */
  async #leaveMessage(): Promise<Ending | undefined> {
    const { line, settings, signal } = this.#parts;
    const { voiceMailMessage: message, endCallOnVoicemail } = settings;
    if (message.trim() !== '') {
      const event = await line.next(Math.min(greetingSeconds, settings.maxDuration), signal);
      if (event?.type === 'hung-up') return { status: 'ended_by_customer', reason: 'voicemail' };
      if (event?.type === 'said') await this.#note('user', event.text, line.now - event.seconds);
      const ending = await this.#say(message);
      if (ending) return ending;
    }
    if (!endCallOnVoicemail) return undefined;
    return { status: message.trim() === '' ? 'ended_by_assistant' : 'completed', reason: 'voicemail' };
  }

  async #goOn(): Promise<Ending> {
    const { line, settings, signal } = this.#parts;
    const end = this.#answeredAt + settings.maxDuration;
    for (;;) {
      if (isPast(end, line.now)) return { status: 'completed', reason: 'max-duration' };
      if (!(await this.#pay())) return outOfMoney;
      const due = this.#silence.due();
      if (due.what === 'end' && isPast(due.at, line.now))
        return { status: 'ended_by_assistant', reason: 'silence' };
      if (due.what === 'reengage' && isPast(due.at, line.now)) {
        const ending = await this.#reengage();
        if (ending) return ending;
        continue;
      }
      const nextMinute = this.#answeredAt + this.#paidMinutes * secondsOfMinute;
      const event = await line.next(Math.min(end, due.at, nextMinute) - line.now, signal);
      if (event?.type === 'hung-up') return this.#hungUp();
      if (event?.type !== 'said') continue;
      await this.#note('user', event.text, line.now - event.seconds);
      const ending = await this.#answer(event.text);
      if (ending) return ending;
    }
  }

  async #answer(said: string): Promise<Ending | undefined> {
    const { line, settings, speaker, signal } = this.#parts;
    this.#silence.heard(line.now);
    const isFirst = !this.#lines.some(({ role }) => role === 'assistant');
    // Who waits for the customer answers their first words with its own.
    if (isFirst && settings.initialMessage.trim() !== '') return this.#open();
    const reply = await speaker.answer(said, this.#lines.slice(0, -1), signal);
    return this.#utter(reply);
  }

  async #reengage(): Promise<Ending | undefined> {
    const { line, speaker, signal } = this.#parts;
    const silentSince = this.#silence.since;
    const began = line.now;
    const reply = await speaker.breakSilence(this.#lines, signal);
    const ending = await this.#utter(reply);
    this.#silence.reengaged(silentSince, began, line.now);
    return ending;
  }

  async #utter(reply: Awaited<ReturnType<Speaker['answer']>>): Promise<Ending | undefined> {
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

  async #say(text: string, functionCalls?: CallLine['functionCalls']): Promise<Ending | undefined> {
    const { line, settings, signal } = this.#parts;
    const began = line.now;
    await line.say(text, this.#answeredAt + settings.maxDuration - began, signal);
    await this.#note('assistant', text, began, functionCalls);
    this.#silence.spoke(line.now);
    return (await this.#pay()) ? undefined : outOfMoney;
  }

  async #note(
    role: CallLine['role'],
    content: string,
    at: number,
    functionCalls?: CallLine['functionCalls'],
  ): Promise<void> {
    const { book, line } = this.#parts;
    const since = Math.max(0, at - this.#answeredAt);
    const seconds = Math.max(0, line.now - at);
    this.#lines.push({ role, content, at: since, seconds, ...(functionCalls && { functionCalls }) });
    await book.note(this.#lines);
  }

  /** Pays for every minute that has begun; the call ends with the last one that its longest duration touches. */
  async #pay(): Promise<boolean> {
    const talked = this.#parts.line.now - this.#answeredAt;
    const last = Math.ceil(this.#parts.settings.maxDuration / secondsOfMinute);
    const begun = Math.min(Math.floor((talked + tolerance) / secondsOfMinute) + 1, last);
    while (this.#paidMinutes < begun) {
      if (!(await this.#parts.book.payMinute(this.#paidMinutes + 1))) return false;
      this.#paidMinutes += 1;
    }
    return true;
  }

  /** The customer has hung up: after an answer to something that they said to the assistant, the talk was complete. */
  #hungUp(): Ending {
    const roles = this.#lines.map(({ role }) => role);
    const opened = roles.indexOf('assistant');
    const replied = opened >= 0 && roles.lastIndexOf('user') > opened && roles.at(-1) === 'assistant';
    return { status: replied ? 'completed' : 'ended_by_customer', reason: 'hung-up' };
  }
}

const outOfMoney: Ending = { status: 'ended', reason: 'balance' };

/** Sums of fractions are not exact, and nobody notices a hundredth of a second. */
const tolerance = 0.01;
const isPast = (moment: number, now: number) => now >= moment - tolerance;

/** Longest greeting of an answering machine that is waited for. */
const greetingSeconds = 30;
