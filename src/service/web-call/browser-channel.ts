import * as z from 'zod';
import type { EndReason } from '../../contract/call.ts';
import { countCharacters, limits } from '../../contract/limits.ts';
import type { CallLine } from '../realtime/line-factory.ts';
import type { CallAudio, CallAudioListener } from '../recording/audio-recorder.ts';
import type { AudioListener } from '../voice/audio-peer.ts';
import type { SpeechListener } from '../voice/speech-listener.ts';
import type { HangUpReason } from '../voice/line.ts';
import type { VoiceLineOptions } from '../voice/voice-line.ts';
import type { WebPeer } from '../voice/voice-module.ts';

/** The reason of a call's end that the browser receives. */
type CallEnd = 'assistant' | 'silence' | 'balance' | 'time-limit' | 'limit-reached' | 'stopped' | 'failed';

const ends: Readonly<Partial<Record<HangUpReason, CallEnd>>> = {
  'end-call': 'assistant',
  silence: 'silence',
  balance: 'balance',
  'max-duration': 'time-limit',
  'minutes-per-day': 'time-limit',
  'messages-per-day': 'limit-reached',
  'hung-up': 'stopped',
  'conversation-ended': 'stopped',
  stopped: 'stopped',
  'lease-lost': 'stopped',
};

/** Events of the browser. All others are ignored. */
const BrowserEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('conversation.item.create'),
    item: z.object({
      type: z.literal('message'),
      role: z.literal('user'),
      content: z.array(z.object({ type: z.literal('input_text'), text: z.string() })).length(1),
    }),
  }),
  z.object({ type: z.enum(['response.cancel', 'output_audio_buffer.clear']) }),
]);

/** The parts of a line that its browser provides. */
type BrowserChannelOptions = Pick<VoiceLineOptions, 'peer' | 'control'> & { listener: SpeechListener };

/** Maximum number of messages that a visitor may write per minute of a call. */
const typedPerMinute = 20;

/**
 * The line of a web call and its data channel. It streams the transcripts of both sides to the browser, in events of
 * OpenAI's Realtime API. The browser can send a message or stop the assistant.
 */
export class BrowserChannel {
  readonly line: CallLine;
  /** The audio of both sides. */
  readonly audio: CallAudio;
  readonly #peer: WebPeer;
  readonly #id = crypto.randomUUID().slice(0, 8);
  #items = 0;
  #item: string | undefined;
  #pausedItems: string[] = [];
  #response: { id: string; item: string; isAudible: boolean } | undefined;
  #typed: number[] = [];
  /** Whether the visitor has spoken during the response: then another one follows it. */
  #isAnswerDue = false;
  #hasEnded = false;
  #recorder: CallAudioListener | undefined;

  constructor(peer: WebPeer, createLine: (options: BrowserChannelOptions) => CallLine) {
    this.#peer = peer;
    peer.onEvent = (event) => {
      this.#receive(event);
    };
    this.audio = {
      rate: peer.rate,
      listen: (recorder) => {
        this.#recorder = recorder;
        peer.onPlayed = recorder.onPlayed.bind(recorder);
      },
    };
    this.line = createLine({
      peer: {
        rate: peer.rate,
        open: (listener: AudioListener) => {
          peer.open({
            onAudio: (samples) => {
              this.#recorder?.onVisitorAudio(samples);
              listener.onAudio(samples);
            },
            onMark: (id) => {
              listener.onMark(id);
            },
            onClosed: () => {
              listener.onClosed();
            },
          });
        },
        play: (samples) => {
          peer.play(samples);
        },
        mark: (id) => {
          peer.mark(id);
        },
        pause: () => {
          peer.pause();
        },
        resume: () => {
          peer.resume();
        },
        flush: () => {
          peer.flush();
        },
        // The web call closes the peer, after the last event has been sent.
        close: () => undefined,
      },
      listener: this.#listener(),
      control: {
        sendDigits: () => Promise.resolve(),
        end: (_, reason) => {
          this.#end(reason);
          return Promise.resolve();
        },
      },
    });
  }

  /** Notifies the browser that the assistant responds soon. */
  announceResponse(): void {
    this.#respond();
  }

  /** Ends the call at the visitor's request. */
  hangUp(): void {
    this.line.close('customer');
    this.#end('hung-up');
  }

  /** The service ends the call from outside the conversation. */
  stop(reason: EndReason): void {
    this.line.stop(reason);
    this.#end(reason);
  }

  /** Closes the line because another connection of the browser replaces it. */
  disconnect(): void {
    this.line.close('connection');
  }

  #end(reason: HangUpReason | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#peer.send({ type: 'call.ended', reason: (reason && ends[reason]) ?? 'failed' });
  }

  #listener(): SpeechListener {
    return {
      onCustomerSpeaking: () => {
        this.#item = this.#nextId('item');
        this.#peer.send({ type: 'input_audio_buffer.speech_started', item_id: this.#item });
      },
      onCustomerPaused: () => {
        if (this.#item === undefined) return;
        this.#peer.send({ type: 'input_audio_buffer.speech_stopped', item_id: this.#item });
        this.#pausedItems.push(this.#item);
        this.#item = undefined;
      },
      onProvisional: (text) => {
        if (this.#item !== undefined) this.#sendTranscription('provisional', this.#item, { text });
      },
      onCustomerSaid: (transcript) => {
        const item = this.#pausedItems.shift() ?? this.#nextId('item');
        this.#sendTranscription('completed', item, { transcript });
        if (transcript === '') return;
        // A response that can be heard ends first.
        if (this.#response?.isAudible === true) this.#isAnswerDue = true;
        else if (!this.#hasEnded) this.#respond();
      },
      onAssistantSaying: (text) => {
        const response = this.#respond();
        const ids = { response_id: response.id, item_id: response.item };
        if (!response.isAudible) this.#sendBuffer('started', response.id);
        response.isAudible = true;
        this.#peer.send({ type: 'response.output_audio_transcript.delta', ...ids, delta: text });
      },
      onAssistantPaused: () => {
        if (this.#response?.isAudible === true) this.#sendBuffer('cleared', this.#response.id);
      },
      onAssistantResumed: () => {
        if (this.#response?.isAudible === true) this.#sendBuffer('started', this.#response.id);
      },
      onAssistantSaid: (played, isCutOff) => {
        const response = this.#respond();
        this.#response = undefined;
        const { id: response_id, item: item_id, isAudible } = response;
        const transcript = played.trim();
        this.#peer.send({ type: 'response.output_audio_transcript.done', response_id, item_id, transcript });
        if (isAudible) this.#sendBuffer(isCutOff ? 'cleared' : 'stopped', response_id);
        this.#peer.send({ type: 'response.done', response: { id: response_id } });
        if (this.#isAnswerDue && !this.#hasEnded) this.#respond();
        this.#isAnswerDue = false;
      },
    };
  }

  /** With `cleared`, the browser also drops the audio that it has received. */
  #sendBuffer(change: 'started' | 'cleared' | 'stopped', response_id: string): void {
    this.#peer.send({ type: `output_audio_buffer.${change}`, response_id });
  }

  #sendTranscription(kind: 'provisional' | 'completed', item: string, text: object): void {
    this.#peer.send({ type: `conversation.item.input_audio_transcription.${kind}`, item_id: item, ...text });
  }

  /** Returns the response in progress, or starts one. */
  #respond() {
    if (this.#response) return this.#response;
    const response = { id: this.#nextId('response'), item: this.#nextId('item'), isAudible: false };
    this.#response = response;
    this.#peer.send({ type: 'response.created', response: { id: response.id } });
    return response;
  }

  #nextId(kind: 'item' | 'response'): string {
    this.#items += 1;
    return `${kind}_${this.#id}_${this.#items}`;
  }

  #receive(event: unknown): void {
    const parsed = BrowserEvent.safeParse(event);
    if (!parsed.success) return;
    if (parsed.data.type !== 'conversation.item.create') {
      this.line.interrupt();
      return;
    }
    const text = (parsed.data.item.content[0]?.text ?? '').toWellFormed().replaceAll('\0', '').trim();
    const problem = this.#messageProblem(text);
    if (problem !== undefined) {
      this.#peer.send({ type: 'error', error: { code: 'invalid-message', message: problem } });
      return;
    }
    this.line.write(text);
    this.#respond();
  }

  #messageProblem(text: string): string | undefined {
    const { max } = limits.message;
    if (text === '') return 'The message is empty.';
    if (countCharacters(text) > max) return `A message may have at most ${String(max)} characters.`;
    const now = performance.now();
    this.#typed = this.#typed.filter((at) => now - at < 60_000);
    if (this.#typed.length >= typedPerMinute) return 'Too many messages. Please wait a moment.';
    this.#typed.push(now);
    return undefined;
  }
}
