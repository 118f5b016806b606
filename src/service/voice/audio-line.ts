import type { EndReason } from '../../contract/call.ts';
import { withAmbience } from './ambience/ambient-peer.ts';
import type { AmbientSound } from './ambience/ambient-sound.ts';
import type { AudioListener, AudioPeer } from './audio-peer.ts';
import { LineEvents } from './line-events.ts';
import type { HangUpReason, Line, LineEvent, Spoken } from './line.ts';
import type { SpeechListener } from './speech-listener.ts';
import { SpeechOutput } from './speech-output.ts';
import { waitWithTimeout } from '../lib/with-timeout.ts';

/** Controls a line apart from its audio. */
export interface LineControl {
  sendDigits(digits: string): Promise<void>;
  /** The service ends the line: it hangs up, or leaves the call to its carrier. Called once. */
  end(how: 'hang-up' | 'leave', reason?: HangUpReason): Promise<void>;
}

export interface AudioLineOptions {
  peer: AudioPeer;
  control: LineControl;
  ambientSound: AmbientSound | undefined;
  listener?: SpeechListener | undefined;
}

/** Longest wait for the transcription of the customer's last words after they hung up, in milliseconds. */
const lastWordsMs = 4000;

/** A call whose audio passes through this process. Subclasses transcribe the customer and speak for the assistant. */
export abstract class AudioLine implements Line, AudioListener {
  protected readonly peer: AudioPeer;
  protected readonly events = new LineEvents();
  protected readonly output: SpeechOutput;
  protected readonly listener: SpeechListener | undefined;
  readonly #control: LineControl;
  readonly #connectedAt = performance.now();
  /** When the line stopped, although its last events may still be pending. */
  #closedAt: number | undefined;
  #isCustomerSpeaking = false;
  #customerSpokeAt: number | undefined;

  /** Subclasses open the peer when they are ready to receive audio. */
  constructor({ peer, control, ambientSound, listener }: AudioLineOptions) {
    this.peer = withAmbience(peer, ambientSound);
    this.listener = listener;
    this.#control = control;
    this.output = new SpeechOutput({ peer: this.peer, now: () => this.now, listener });
  }

  abstract say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken>;

  abstract onAudio(samples: Int16Array): void;

  /** Called once when the line has ended. */
  protected abstract release(): void;

  /**
   * Called when the customer has hung up. Resolves when the events of their last words have been pushed; undefined if
   * there is nothing to wait for.
   */
  protected pushLastWords(): Promise<void> | undefined {
    return undefined;
  }

  get now(): number {
    return ((this.#closedAt ?? performance.now()) - this.#connectedAt) / 1000;
  }

  get customerSpokeAt(): number | undefined {
    return this.#isCustomerSpeaking ? this.now : this.#customerSpokeAt;
  }

  /** Records whether the customer is speaking, and reports changes to the listener. */
  protected setCustomerSpeaking(isSpeaking: boolean): void {
    this.#customerSpokeAt = this.now;
    if (isSpeaking === this.#isCustomerSpeaking) return;
    this.#isCustomerSpeaking = isSpeaking;
    if (isSpeaking) this.listener?.onCustomerSpeaking();
    else this.listener?.onCustomerPaused();
  }

  get hasEnded(): boolean {
    return this.#closedAt !== undefined;
  }

  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    return this.events.next(seconds, signal);
  }

  sendDigits(digits: string): Promise<void> {
    return this.#control.sendDigits(digits);
  }

  leave(): Promise<void> {
    return this.#end('leave');
  }

  hangUp(reason?: HangUpReason): Promise<void> {
    return this.#end('hang-up', reason);
  }

  /** Handles text that the customer typed. It interrupts the assistant. */
  write(text: string): void {
    this.interrupt();
    this.events.push({ type: 'said', text, seconds: 0, endedAt: this.now });
  }

  /** Stops the assistant's speech at the customer's request. */
  interrupt(): void {
    this.output.cutOff('customer');
  }

  /** Handles a key that the customer pressed. */
  press(digit: string): void {
    if (/^[0-9*#]$/.test(digit)) this.events.push({ type: 'dtmf', digit });
  }

  /** The call or its connection has ended. */
  close(by: 'customer' | 'connection'): void {
    this.#close({ type: 'ended', by });
  }

  /** The service ends the call from outside the conversation. */
  stop(reason: EndReason): void {
    this.#close({ type: 'ended', by: 'service', reason });
  }

  onMark(id: string): void {
    this.output.onMark(id);
  }

  onClosed(): void {
    this.close('connection');
  }

  #close(ended: Extract<LineEvent, { type: 'ended' }>): void {
    if (this.hasEnded) return;
    this.#closedAt = performance.now();
    this.output.close();
    const lastWords = ended.by === 'customer' ? this.pushLastWords() : undefined;
    this.peer.close();
    if (lastWords)
      void waitWithTimeout(lastWordsMs, lastWords).then(() => {
        this.#finish(ended);
      });
    else this.#finish(ended);
  }

  #finish(ended: LineEvent): void {
    this.events.push(ended);
    this.release();
  }

  async #end(how: 'hang-up' | 'leave', reason?: HangUpReason): Promise<void> {
    if (this.hasEnded) return;
    this.close('connection');
    await this.#control.end(how, reason);
  }
}
