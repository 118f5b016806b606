import type { Line, LineEvent, Spoken } from '../../../src/service/voice/line.ts';

/** Characters of speech per second. */
const charactersPerSecond = 15;

/** An action of the customer while the assistant speaks. */
interface Interruption {
  /** The customer hears the speech up to the end of this text. */
  after: string;
  /** The customer's words; absent if they only make a sound. */
  saying?: string;
  /** The customer hangs up instead. */
  hangingUp?: true;
  /** It is only a sound, for which the speech pauses. */
  isNoise?: true;
}

/**
 * A connected call whose customer the test controls. It has a clock of its own: speech advances it, and during silence
 * the test advances it.
 */
export class ScriptedLine implements Line {
  now = 0;
  /** The actions of the service, in order: `say …`, `digits …`, `leave`, `hang up`. */
  readonly actions: string[] = [];
  readonly #events: LineEvent[] = [];
  readonly #played: string[] = [];
  readonly #alarms = new Set<{ time: number; action: () => Promise<void> }>();
  #current = '';
  #interruption: Interruption | undefined;
  #isTalkedOver = false;
  #error: Error | undefined;
  #pausedAt: number | undefined;
  #isWaiting = false;
  #isSpeaking = false;
  #understoodAfter = 0;
  #customerSpokeAt: number | undefined;
  #ended: Extract<LineEvent, { type: 'ended' }> | undefined;
  #changed = Promise.withResolvers<undefined>();
  readonly #onLeave: () => void;

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  get customerSpokeAt(): number | undefined {
    return this.#isSpeaking ? this.now : this.#customerSpokeAt;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  async next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    const until = this.now + seconds;
    for (;;) {
      signal.throwIfAborted();
      const event = this.#events.shift() ?? this.#ended;
      if (event?.type === 'said') {
        const endedAt = this.now + event.seconds;
        await this.pass(event.seconds + this.#understoodAfter);
        return { ...event, endedAt };
      }
      if (event !== undefined) return event;
      if (this.now >= until) return undefined;
      this.#isWaiting = true;
      this.#notify();
      await this.#change(signal);
      this.#isWaiting = false;
    }
  }

  async say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    signal.throwIfAborted();
    const iterator = text[Symbol.asyncIterator]();
    const latest = Math.max(0, Math.floor(seconds * charactersPerSecond));
    let startedAt: number | undefined;
    let cutOffBy: Spoken['cutOffBy'];
    this.#current = '';
    this.#pausedAt = undefined;
    const read = () => {
      const result = iterator.next();
      result.catch(() => undefined);
      return result;
    };
    let chunk = read();
    while (cutOffBy === undefined) {
      if (signal.aborted) cutOffBy = 'signal';
      else if (this.#ended ?? this.#error) cutOffBy = 'end';
      else if (this.#isTalkedOver) cutOffBy = 'customer';
      else {
        const result = await Promise.race([chunk, this.#change(signal)]);
        if (result === undefined) continue;
        if (result.done === true) break;
        if (result.value !== '') startedAt ??= this.now;
        this.#current += result.value;
        cutOffBy = this.#cutOff(latest);
        this.#notify();
        if (cutOffBy === undefined) chunk = read();
      }
    }
    // Not awaited, since a generator that waits for the model returns only after the model's answer.
    if (cutOffBy !== undefined) iterator.return?.().catch(() => undefined);
    const played = this.#current;
    this.#current = '';
    this.#isTalkedOver = false;
    const error = this.#error;
    this.#error = undefined;
    await this.pass(played.length / charactersPerSecond);
    this.actions.push(`say ${played}`);
    this.#played.push(played);
    this.#notify();
    const pausedAt = this.#pausedAt as number | undefined;
    return {
      ...{ played, startedAt, cutOffBy },
      ...(pausedAt !== undefined && { pausedAt }),
      ...(error && { error }),
    };
  }

  sendDigits(digits: string): Promise<void> {
    this.actions.push(`digits ${digits}`);
    this.#notify();
    return Promise.resolve();
  }

  leave(): Promise<void> {
    this.actions.push('leave');
    this.#end('connection');
    this.#onLeave();
    return Promise.resolve();
  }

  hangUp(): Promise<void> {
    if (!this.#ended) this.actions.push('hang up');
    this.#end('connection');
    return Promise.resolve();
  }

  at(time: number, action: () => Promise<void>): () => void {
    const alarm = { time, action };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  /** Resolves with the next completed or interrupted speech. */
  async hears(): Promise<string> {
    while (this.#played.length === 0) await this.#changed.promise;
    return this.#played.shift() ?? '';
  }

  /** Resolves once the speech in progress contains this text. */
  async isHearing(text: string): Promise<void> {
    while (!this.#current.includes(text)) await this.#changed.promise;
  }

  /** Resolves once the service has performed an action. */
  async does(action: string): Promise<void> {
    while (!this.actions.includes(action)) await this.#changed.promise;
  }

  /** The customer begins to say something. */
  speaks(): void {
    this.#isSpeaking = true;
  }

  /** The customer stops speaking, without a transcript. */
  pauses(): void {
    this.#isSpeaking = false;
    this.#customerSpokeAt = this.now;
  }

  /** @param options.understoodAfter seconds from the end of the speech to its transcript */
  says(text: string, { seconds = 1, understoodAfter = 0 } = {}): void {
    this.#isSpeaking = false;
    this.#understoodAfter = understoodAfter;
    this.#push({ type: 'said', text, seconds, endedAt: 0 });
  }

  presses(keys: string): void {
    for (const digit of keys) this.#push({ type: 'dtmf', digit });
  }

  /** Interrupts the next speech that contains the text. */
  interrupts(interruption: Interruption): void {
    this.#interruption = interruption;
  }

  /** Interrupts the speech in progress, after all of it so far. */
  talksOver(saying: string): void {
    this.#isTalkedOver = true;
    this.says(saying);
  }

  /** The voice fails, after all of the speech so far. */
  failsToSpeak(error: Error): void {
    this.#error = error;
    this.#notify();
  }

  /** Lets seconds pass, whatever the service is doing. */
  async pass(seconds: number): Promise<void> {
    this.now += seconds;
    for (const alarm of this.#alarms) {
      if (alarm.time > this.now) continue;
      this.#alarms.delete(alarm);
      await alarm.action();
    }
  }

  /** Lets seconds of silence pass, once the service waits for the customer. */
  async waits(seconds: number): Promise<void> {
    while (!this.#isWaiting || this.#events.length > 0) await this.#changed.promise;
    this.#isWaiting = false;
    await this.pass(seconds);
    this.#notify();
  }

  hangsUp(): void {
    this.#end('customer');
  }

  /** Loses the connection to the service. */
  lose(): void {
    this.#end('connection');
  }

  #cutOff(latest: number): Spoken['cutOffBy'] {
    const interruption = this.#interruption;
    const at = interruption ? this.#current.indexOf(interruption.after) : -1;
    if (interruption && at >= 0) {
      this.#interruption = undefined;
      if (interruption.isNoise) {
        this.#pausedAt = this.now + (at + interruption.after.length) / charactersPerSecond;
        return undefined;
      }
      this.#current = this.#current.slice(0, at + interruption.after.length);
      if (interruption.hangingUp) {
        this.hangsUp();
        return 'end';
      }
      if (interruption.saying !== undefined) this.says(interruption.saying);
      return 'customer';
    }
    if (this.#current.length < latest) return undefined;
    this.#current = this.#current.slice(0, latest);
    return 'time';
  }

  #end(by: 'customer' | 'connection'): void {
    this.#ended ??= { type: 'ended', by };
    this.#notify();
  }

  #push(event: LineEvent): void {
    this.#events.push(event);
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when something happens on the line, or the signal is aborted. */
  async #change(signal: AbortSignal): Promise<undefined> {
    const wake = () => {
      this.#notify();
    };
    signal.addEventListener('abort', wake, { once: true });
    await this.#changed.promise;
    signal.removeEventListener('abort', wake);
  }
}
