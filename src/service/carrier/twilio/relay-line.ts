import { speakingTime } from '../../voice/speaking-time.ts';
import { LineEvents } from '../../voice/line-events.ts';
import type { Line, LineEvent, Spoken } from '../../voice/line.ts';
import { sayWithoutMarkdown } from '../../voice/say-without-markdown.ts';
import { countWords } from '../../voice/words.ts';
import type { OutgoingFrame, RelayFrame } from './relay-frames.ts';
import { localeOf } from './speech-attributes.ts';
import { RelaySpeech } from './relay-speech.ts';

/** The line's connection to the relay. */
export interface RelayConnection {
  send(frame: OutgoingFrame): void;
  /** Closes the connection if the relay does not, which it does after an `end` frame. */
  closeSoon(): void;
}

/** The settings that the line applies itself. */
export interface LineSettings {
  /** 0.7 to 1.2; 1 is normal. */
  speed: number;
  /** Number of words that interrupt the assistant; 0 leaves interruptions to the relay. */
  interruptingWords: number;
  /** The assistant's language first, then the other languages that the customer may speak. */
  languages: readonly string[];
}

/** Maximum pause within a sentence, in seconds. Speech before a longer pause counts as noise. */
const longestPause = 5;

/** The step that the relay's action webhook takes after an `end` frame. */
export type Handoff = 'hang-up' | 'leave';

/** Returns the `handoffData` of an `end` frame. */
const handoffData = (step: Handoff): string => JSON.stringify({ step });

/** A call that ConversationRelay has connected to this process. */
export class RelayLine implements Line {
  readonly #connection: RelayConnection;
  readonly #settings: LineSettings;
  readonly #silence: string;
  readonly #events = new LineEvents();
  readonly #connectedAt = performance.now();
  #closedAt: number | undefined;
  #speech: RelaySpeech | undefined;
  /** When the customer started to speak, if the relay reports it. */
  #customerSince: number | undefined;
  #customerUntil: number | undefined;
  #customerSpokeAt: number | undefined;
  #language: string;

  /** @param silence URL of silent audio that replaces the speech when the service stops it. */
  constructor(connection: RelayConnection, settings: LineSettings, silence: string) {
    this.#connection = connection;
    this.#settings = settings;
    this.#silence = silence;
    this.#language = settings.languages[0] ?? 'en';
  }

  get now(): number {
    return ((this.#closedAt ?? performance.now()) - this.#connectedAt) / 1000;
  }

  get customerSpokeAt(): number | undefined {
    const isSpeaking = this.#customerSince !== undefined && this.#customerUntil === undefined;
    return isSpeaking ? this.now : this.#customerSpokeAt;
  }

  get hasEnded(): boolean {
    return this.#events.hasEnded;
  }

  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    return this.#events.next(seconds, signal);
  }

  say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    return sayWithoutMarkdown(text, this.#language, (plain) => this.#say(plain, seconds, signal));
  }

  sendDigits(digits: string): Promise<void> {
    if (digits !== '') this.#send({ type: 'sendDigits', digits });
    return Promise.resolve();
  }

  leave(): Promise<void> {
    return this.#end('leave');
  }

  hangUp(): Promise<void> {
    return this.#end('hang-up');
  }

  /** Handles a frame of the relay. */
  receive(frame: RelayFrame): void {
    if (this.#events.hasEnded) return;
    if (frame.type === 'prompt') {
      this.#followLanguage(frame.lang);
      this.#receivePrompt(frame.voicePrompt, frame.last);
    } else if (frame.type === 'dtmf') this.#receiveDigit(frame.digit);
    else if (frame.type === 'interrupt') this.#receiveInterrupt(frame.utteranceUntilInterrupt);
    else if (frame.type === 'info') this.#receiveInfo(frame.name, frame.value);
  }

  /** The connection was closed. */
  close(by: 'customer' | 'connection'): void {
    this.#closedAt ??= performance.now();
    this.#events.push({ type: 'ended', by });
    this.#speech?.cutOff('end');
  }

  async #say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    signal.throwIfAborted();
    const speech = new RelaySpeech(() => this.now, this.#settings.speed);
    this.#speech = speech;
    if (this.#events.hasEnded) speech.cutOff('end');
    const stop = (reason: 'time' | 'signal') => {
      this.#stopSpeaking(speech);
      speech.cutOff(reason);
    };
    const timer = setTimeout(stop, Math.min(Math.max(0, seconds) * 1000, 2_147_483_647), 'time');
    const abort = () => {
      stop('signal');
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#stream(text, speech);
      return speech.result(await speech.ended);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#speech = undefined;
    }
  }

  /** Streams the text to the relay. Tokens contain their spaces, so they are sent unchanged. */
  async #stream(text: AsyncIterable<string>, speech: RelaySpeech): Promise<void> {
    const iterator = text[Symbol.asyncIterator]();
    for (;;) {
      const result = await Promise.race([iterator.next(), speech.ended]);
      // Nothing can be sent once the speech is over, even if a token arrived at the same time.
      if (speech.isOver || typeof result !== 'object') break;
      if (result.done === true) {
        this.#closeStream(speech);
        speech.sendEnd();
        return;
      }
      if (result.value === '') continue;
      this.#send({ type: 'text', token: result.value, last: false });
      speech.sendToken(result.value);
    }
    // Not awaited: a generator that is waiting for the model returns only after the model has answered.
    iterator.return?.().catch(() => undefined);
  }

  /** The relay waits for more text until a token is marked as the last one. */
  #closeStream(speech: RelaySpeech): void {
    if (speech.isOpen) this.#send({ type: 'text', token: '', last: true });
  }

  #stopSpeaking(speech: RelaySpeech): void {
    if (speech.isOver || !speech.hasText) return;
    this.#closeStream(speech);
    this.#send({ type: 'play', source: this.#silence, interruptible: true, preemptible: true });
  }

  #receivePrompt(text: string, isComplete: boolean): void {
    const speech = this.#speech;
    const { interruptingWords } = this.#settings;
    if (speech && interruptingWords > 0 && countWords(text) >= interruptingWords) {
      this.#stopSpeaking(speech);
      speech.cutOff('customer');
    }
    this.#customerSpokeAt = this.#customerUntil ?? this.now;
    if (!isComplete || text.trim() === '') return;
    const endedAt = this.#customerUntil ?? this.now;
    const measured = this.#customerSince === undefined ? speakingTime(text) : endedAt - this.#customerSince;
    const seconds = Math.max(0, Math.min(measured, this.now));
    this.#customerSince = undefined;
    this.#customerUntil = undefined;
    this.#events.push({ type: 'said', text: text.trim(), seconds, endedAt });
  }

  /** Switches the voice to the customer's language, since the assistant answers in it. */
  #followLanguage(spoken: string | null | undefined): void {
    const code = spoken?.slice(0, 2).toLowerCase();
    if (code === undefined || code === this.#language || !this.#settings.languages.includes(code)) return;
    this.#language = code;
    this.#send({ type: 'language', ttsLanguage: localeOf(code) });
  }

  #receiveDigit(digit: string): void {
    if (/^[0-9*#]$/.test(digit)) this.#events.push({ type: 'dtmf', digit });
  }

  #receiveInterrupt(utterance: string): void {
    const speech = this.#speech;
    if (!speech || speech.isOver) return;
    // The relay has already stopped the speech.
    this.#closeStream(speech);
    speech.interrupted(utterance);
  }

  #receiveInfo(name: string, value: string): void {
    if (name === 'agentSpeaking' && value === 'on') this.#speech?.started();
    else if (name === 'agentSpeaking' && value === 'off') this.#speech?.stopped();
    else if (name === 'tokensPlayed') this.#speech?.playedToken(value);
    else if (name === 'clientSpeaking') this.#setCustomerSpeaking(value === 'on');
  }

  #setCustomerSpeaking(isSpeaking: boolean): void {
    const isNew = this.#customerUntil !== undefined && this.now - this.#customerUntil > longestPause;
    if (!isSpeaking) this.#customerSpokeAt = this.#customerUntil = this.now;
    else if (isNew) this.#customerSince = this.now;
    else this.#customerSince ??= this.now;
    if (isSpeaking) this.#customerUntil = undefined;
  }

  #end(step: Handoff): Promise<void> {
    if (this.#events.hasEnded) return Promise.resolve();
    this.#send({ type: 'end', handoffData: handoffData(step) });
    this.close('connection');
    this.#connection.closeSoon();
    return Promise.resolve();
  }

  #send(frame: OutgoingFrame): void {
    if (!this.#events.hasEnded) this.#connection.send(frame);
  }
}
