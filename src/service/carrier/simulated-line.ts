import type { Line, LineEvent, SpeechSettings, Spoken } from '../voice/line.ts';
import { sayWithoutMarkdown } from '../voice/say-without-markdown.ts';
import type { Reaction, SimulatedCustomer } from './simulated-customer.ts';
import { speakingTime } from '../voice/speaking-time.ts';

/** Waits for the given number of simulated seconds. */
export type Wait = (seconds: number, signal?: AbortSignal) => Promise<void>;

interface Scheduled {
  at: number;
  event: LineEvent;
}

/** An action at a time on the line's clock. */
interface Alarm {
  at: number;
  action: () => Promise<void>;
}

/**
 * A simulated call with its own clock. The same call always takes the same number of simulated seconds, at any speed.
 */
export class SimulatedLine implements Line {
  readonly #speech: SpeechSettings;
  readonly #customer: SimulatedCustomer;
  readonly #wait: Wait;
  readonly #alarms = new Set<Alarm>();
  #scheduled: Scheduled | undefined;
  #now = 0;
  #customerSpokeAt: number | undefined;
  #end: 'left' | 'lost' | 'hung-up' | undefined;

  constructor(speech: SpeechSettings, customer: SimulatedCustomer, wait: Wait) {
    this.#speech = speech;
    this.#customer = customer;
    this.#wait = wait;
    this.#schedule(customer.onAnswered());
  }

  get now(): number {
    return this.#now;
  }

  get customerSpokeAt(): number | undefined {
    const { event, at } = this.#scheduled ?? {};
    const isSpeaking = event?.type === 'said' && at !== undefined && this.#now > at - event.seconds;
    return isSpeaking ? this.#now : this.#customerSpokeAt;
  }

  /** Why the line has ended although the call has not. */
  get disconnection(): 'left' | 'lost' | undefined {
    return this.#end === 'hung-up' ? undefined : this.#end;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  async next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    signal.throwIfAborted();
    const until = this.#now + seconds;
    if (this.#end) return { type: 'ended', by: 'connection' };
    const scheduled = this.#scheduled;
    if (!scheduled || scheduled.at > until) {
      await this.#advance(until - this.#now, signal);
      return undefined;
    }
    await this.#advance(scheduled.at - this.#now, signal);
    this.#scheduled = undefined;
    if (scheduled.event.type === 'ended' && scheduled.event.by === 'connection') this.#end = 'lost';
    if (scheduled.event.type === 'said') {
      this.#customerSpokeAt = this.#now;
      this.#schedule(this.#customer.onCustomerSpoke());
    }
    if (scheduled.event.type === 'dtmf') this.#schedule(this.#customer.onCustomerPressed());
    return scheduled.event;
  }

  say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    return sayWithoutMarkdown(text, this.#speech.language, (plain) => this.#say(plain, seconds, signal));
  }

  /** Does nothing: simulated customers ignore keys. */
  sendDigits(): Promise<void> {
    return Promise.resolve();
  }

  leave(): Promise<void> {
    this.#end ??= 'left';
    return Promise.resolve();
  }

  hangUp(): Promise<void> {
    this.#end ??= 'hung-up';
    return Promise.resolve();
  }

  at(time: number, action: () => Promise<void>): () => void {
    // The clock has no finer steps, so it would never reach a time in between.
    const alarm = { at: Math.ceil(time * 10) / 10, action };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  /** Ends the call from the carrier's side. */
  disconnect(): void {
    this.#end ??= 'hung-up';
  }

  async #say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    signal.throwIfAborted();
    const startedAt = this.#now;
    const interruption = this.#customer.onCallerBegan(this.#speech.allowInterruptions);
    const limit = Math.min(seconds, interruption?.after ?? Infinity);
    let said = '';
    for await (const chunk of text) {
      said += chunk;
      const total = speakingTime(said, this.#speech.speed);
      const until = startedAt + Math.min(limit, total);
      const isCutOff = await this.#advance(until - this.#now, signal).then(
        () => limit < total,
        (error: unknown) => {
          if (!signal.aborted) throw error;
          return true;
        },
      );
      if (!isCutOff) continue;
      const isInterrupted = !signal.aborted && interruption !== undefined && limit === interruption.after;
      if (isInterrupted) this.#schedule({ ...interruption, after: 0 });
      const cutOffBy = signal.aborted
        ? 'signal'
        : !isInterrupted
          ? 'time'
          : 'say' in interruption
            ? 'customer'
            : 'end';
      return { played: beginning(said, (this.#now - startedAt) / total), startedAt, cutOffBy };
    }
    if (said === '') return { played: '', startedAt: undefined };
    this.#schedule(interruption ?? this.#customer.onCallerSpoke());
    return { played: said, startedAt };
  }

  /** Replaces the customer's scheduled reaction. */
  #schedule(reaction: Reaction | undefined): void {
    if (!reaction) {
      this.#scheduled = undefined;
      return;
    }
    const at = roundToTenth(this.#now + reaction.after + lengthOf(reaction));
    this.#scheduled = { at, event: eventOf(reaction, at) };
  }

  async #advance(seconds: number, signal: AbortSignal): Promise<void> {
    const until = this.#now + seconds;
    for (let alarm = this.#nextAlarm(until); alarm; alarm = this.#nextAlarm(until)) {
      await this.#pass(alarm.at - this.#now, signal);
      this.#alarms.delete(alarm);
      await alarm.action();
    }
    await this.#pass(until - this.#now, signal);
  }

  /** Excludes an alarm at `until` itself, since an event at the same time may end the call. */
  #nextAlarm(until: number): Alarm | undefined {
    const [first] = [...this.#alarms].sort((a, b) => a.at - b.at);
    return first && first.at < until ? first : undefined;
  }

  async #pass(seconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (seconds <= 0) return;
    await this.#wait(seconds, signal);
    this.#now = roundToTenth(this.#now + seconds);
  }
}

const lengthOf = (reaction: Reaction) => ('say' in reaction ? speakingTime(reaction.say) : 0);

function eventOf(reaction: Reaction, at: number): LineEvent {
  if ('hangUp' in reaction) return { type: 'ended', by: 'customer' };
  if ('loseLine' in reaction) return { type: 'ended', by: 'connection' };
  if ('press' in reaction) return { type: 'dtmf', digit: reaction.press };
  return { type: 'said', text: reaction.say, seconds: speakingTime(reaction.say), endedAt: at };
}

/** Returns the given fraction of a text, cut at the last whole word. */
function beginning(text: string, fraction: number): string {
  const length = Math.floor(text.length * Math.min(1, Math.max(0, fraction)));
  if (length >= text.length) return text;
  return text.slice(0, Math.max(0, text.lastIndexOf(' ', length))).trimEnd();
}

/** Corrects rounding errors in sums. */
const roundToTenth = (seconds: number) => Math.round(seconds * 10) / 10;
