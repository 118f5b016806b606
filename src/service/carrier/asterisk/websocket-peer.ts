import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { readJson } from '../../lib/read-json.ts';
import type { AudioListener, AudioPeer } from '../../voice/audio-peer.ts';
import { readSamples } from '../../voice/wav.ts';

/** Asterisk's name of the audio format at {@link rate}. */
export const mediaFormat = 'slin16';
const rate = 16_000;
/** Asterisk drops incomplete frames of 20 ms. */
const frameLength = rate * 0.02;
const bytesPerMessage = 32_000;
/** Asterisk queues 20 seconds. Less is sent ahead, so that an interruption discards little. */
const secondsAhead = 5;
/** Milliseconds without audio after which silence is inserted, so that turns end. */
const stallAfter = 200;
const frameMs = 20;

/** The only event of Asterisk that the service uses. */
const PlayedMark = z.object({ event: z.literal('MEDIA_MARK_PROCESSED'), correlation_id: z.string() });

/** A call's audio over Asterisk's `chan_websocket`, which plays the received audio in real time. */
export class WebSocketPeer implements AudioPeer {
  readonly rate = rate;
  readonly #socket: WebSocket;
  #listener: AudioListener | undefined;
  #isClosed = false;
  /** Messages that are queued until the sent audio has been played. */
  #waiting: (Buffer | string)[] = [];
  /** Samples that do not fill a frame. */
  #rest = new Int16Array(0);
  /** When all sent audio will have been played. */
  #playedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #pausedAt: number | undefined;
  /** Runs out if no audio arrives. */
  #stallTimer: NodeJS.Timeout | undefined;
  #fillerTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) this.#receiveAudio(readSamples(data as Buffer));
      else this.#receive((data as Buffer).toString());
    });
    socket.on('error', () => {
      socket.terminate();
    });
    socket.on('close', () => {
      this.#stop();
      this.#listener?.onClosed();
    });
  }

  open(listener: AudioListener): void {
    this.#listener = listener;
  }

  play(samples: Int16Array): void {
    const joined = new Int16Array(this.#rest.length + samples.length);
    joined.set(this.#rest);
    joined.set(samples, this.#rest.length);
    const whole = joined.length - (joined.length % frameLength);
    this.#rest = joined.slice(whole);
    this.#enqueue(joined.subarray(0, whole));
    this.#sendWaiting();
  }

  mark(id: string): void {
    if (this.#rest.length > 0) {
      const padded = new Int16Array(frameLength);
      padded.set(this.#rest);
      this.#rest = new Int16Array(0);
      this.#enqueue(padded);
    }
    this.#waiting.push(JSON.stringify({ command: 'MARK_MEDIA', correlation_id: id }));
    this.#sendWaiting();
  }

  pause(): void {
    if (this.#pausedAt !== undefined) return;
    this.#pausedAt = performance.now();
    clearTimeout(this.#timer);
    this.#command('PAUSE_MEDIA');
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#playedUntil += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#command('CONTINUE_MEDIA');
    this.#sendWaiting();
  }

  flush(): void {
    this.#waiting = [];
    this.#rest = new Int16Array(0);
    this.#playedUntil = 0;
    this.#command('FLUSH_MEDIA');
    this.resume();
  }

  close(): void {
    this.#stop();
    this.#socket.close();
  }

  #command(command: 'PAUSE_MEDIA' | 'CONTINUE_MEDIA' | 'FLUSH_MEDIA'): void {
    if (!this.#isClosed) this.#socket.send(JSON.stringify({ command }));
  }

  #receiveAudio(samples: Int16Array): void {
    if (this.#isClosed) return;
    clearInterval(this.#fillerTimer);
    clearTimeout(this.#stallTimer);
    this.#stallTimer = setTimeout(() => {
      this.#insertSilence();
    }, stallAfter);
    this.#listener?.onAudio(samples);
  }

  #insertSilence(): void {
    this.#fillerTimer = setInterval(() => {
      this.#listener?.onAudio(new Int16Array(frameLength));
    }, frameMs);
  }

  #receive(text: string): void {
    const played = readJson(text, PlayedMark);
    if (played) this.#listener?.onMark(played.correlation_id);
  }

  #enqueue(samples: Int16Array): void {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    for (let at = 0; at < bytes.length; at += bytesPerMessage) {
      this.#waiting.push(bytes.subarray(at, at + bytesPerMessage));
    }
  }

  #sendWaiting(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#pausedAt !== undefined) return;
    for (;;) {
      const ahead = (this.#playedUntil - performance.now()) / 1000 - secondsAhead;
      const message = ahead > 0 ? undefined : this.#waiting.shift();
      if (message === undefined) {
        if (this.#waiting.length > 0)
          this.#timer = setTimeout(() => {
            this.#sendWaiting();
          }, ahead * 1000);
        return;
      }
      this.#socket.send(message);
      if (typeof message === 'string') continue;
      const ms = (message.length / 2 / rate) * 1000;
      this.#playedUntil = Math.max(this.#playedUntil, performance.now()) + ms;
    }
  }

  #stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#stallTimer);
    clearInterval(this.#fillerTimer);
    this.#waiting = [];
  }
}
