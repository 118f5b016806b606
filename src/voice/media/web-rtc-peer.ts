import { setTimeout as pause } from 'node:timers/promises';
import type { AudioListener } from '../../service/voice/audio-peer.ts';
import type { WebPeer } from '../../service/voice/voice-module.ts';
import { frameSeconds } from '../../service/voice/audio-codec.ts';
import type { AudioCodec } from '../../service/voice/audio-codec.ts';
import { EventChannel } from './event-channel.ts';
import type { FrameClock } from '../../service/voice/frame-clock.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import type { StreamStep } from './jitter-buffer.ts';
import { PlayoutQueue } from '../../service/voice/playout-queue.ts';
import type { ConnectionListener, PeerConnection } from './peer-connection.ts';

/** Maximum number of queued seconds of audio. */
const maxQueuedSeconds = 600;
/** Number of silent frames that are encoded before the last one is repeated, so that the audio fades out. */
const fadingFrames = 10;
/** Milliseconds without packets after which silence is inserted, so that turns end. */
const stallAfter = 200;
/**
 * Milliseconds after which a connection is closed if the browser has not connected, or sends nothing. The widget waits
 * as long for the connection, but from the answer on.
 */
const connectWithin = 15_000;
const lostAfter = 10_000;
/** Milliseconds for the browser to acknowledge the last events. */
const confirmWithin = 1000;
/** Seconds of audio that may arrive faster than real time, and the maximum speed after that. */
const burst = 5;
const fastest = 1.5;

/** A browser in a call. It receives 50 packets a second, and sends the audio of its microphone. */
export class WebRtcPeer implements WebPeer, ConnectionListener {
  readonly rate: number;
  onEvent?: ((event: Readonly<Record<string, unknown>>) => void) | undefined;
  onPlayed?: ((frame: Int16Array | undefined, skipped: number) => void) | undefined;
  readonly #codec: AudioCodec;
  readonly #clock: FrameClock;
  readonly #warn: (reason: string) => void;
  readonly #queue: PlayoutQueue;
  readonly #jitter = new JitterBuffer();
  readonly #events: EventChannel;
  readonly #createdAt = performance.now();
  readonly #connected = Promise.withResolvers<boolean>();
  #connection: PeerConnection | undefined;
  #listener: AudioListener | undefined;
  #timestamp = 0;
  #isConnected = false;
  #isClosing = false;
  #isClosed = false;
  #silentFrames = 0;
  #silence: Buffer | undefined;
  #lastPacketAt: number | undefined;
  #credit = burst;

  /** @param warn called with the reason when audio or an event is dropped */
  constructor(codec: AudioCodec, clock: FrameClock, warn: (reason: string) => void) {
    this.rate = codec.rate;
    this.#codec = codec;
    this.#clock = clock;
    this.#warn = warn;
    this.#queue = new PlayoutQueue(codec.rate * frameSeconds, codec.rate * maxQueuedSeconds);
    this.#events = new EventChannel(
      (event) => this.onEvent?.(event),
      warn,
      // A browser that ends the connection aborts the channel. Not all browsers send a DTLS close.
      () => {
        this.close();
      },
    );
    clock.add(this.#onFrame);
  }

  /** Sets the connection, which reports its events to this object. */
  use(connection: PeerConnection): void {
    this.#connection = connection;
  }

  open(listener: AudioListener): void {
    this.#listener = listener;
    if (this.#isClosed)
      queueMicrotask(() => {
        listener.onClosed();
      });
  }

  play(samples: Int16Array): void {
    if (this.#isClosing) return;
    if (!this.#queue.add(samples)) this.#warn('more than ten minutes of audio are queued');
  }

  mark(id: string): void {
    if (!this.#isClosing) this.#queue.mark(id);
  }

  pause(): void {
    this.#queue.pause();
  }

  resume(): void {
    this.#queue.resume();
  }

  flush(): void {
    this.#queue.clear();
  }

  send(event: Readonly<Record<string, unknown>>): void {
    if (!this.#isClosing) this.#events.send(event);
  }

  close(): void {
    this.#isClosing = true;
    this.#queue.clear();
    void this.#closeConnection();
  }

  get connected(): Promise<boolean> {
    return this.#connected.promise;
  }

  onConnected(): void {
    this.#isConnected = true;
    this.#connected.resolve(true);
  }

  onChannel(channel: Parameters<ConnectionListener['onChannel']>[0]): void {
    this.#events.use(channel);
  }

  onPacket(sequenceNumber: number, payload: Buffer): void {
    if (this.#isClosing || this.#credit <= 0) return;
    const now = performance.now();
    this.#lastPacketAt = now;
    this.#decode(this.#jitter.add(sequenceNumber, payload, now));
  }

  onInvalidData(): void {
    this.#warn('the browser sent invalid data on the data channel');
  }

  onClosed(): void {
    this.#isClosing = true;
    this.#isClosed = true;
    this.#connected.resolve(false);
    this.#clock.remove(this.#onFrame);
    this.#queue.clear();
    this.#codec.close();
    this.#listener?.onClosed();
  }

  /** Waits for the browser to acknowledge the last events, such as the end of the call. */
  async #closeConnection(): Promise<void> {
    const deadline = performance.now() + confirmWithin;
    while (this.#events.isSending && performance.now() < deadline) await pause(10);
    await this.#connection?.close();
  }

  readonly #onFrame = (now: number, skipped: number): void => {
    if (this.#isClosing) return;
    const unseen = now - (this.#connection?.lastSeen ?? now);
    if (this.#isConnected ? unseen > lostAfter : now - this.#createdAt > connectWithin) {
      this.close();
      return;
    }
    if (!this.#isConnected) return;
    this.#credit = Math.min(burst, this.#credit + fastest * frameSeconds * (skipped + 1));
    this.#sendFrame(skipped);
    this.#decode(this.#jitter.release(now));
    if (this.#lastPacketAt !== undefined && now - this.#lastPacketAt > stallAfter) {
      this.#listener?.onAudio(new Int16Array(this.rate * frameSeconds));
    }
  };

  #sendFrame(skipped: number): void {
    const { marks, frame } = this.#queue.take();
    const step = this.#codec.clockRate * frameSeconds;
    this.#timestamp = (this.#timestamp + step * (skipped + 1)) >>> 0;
    this.onPlayed?.(frame, skipped);
    this.#connection?.send(frame ? this.#encode(frame) : this.#encodeSilence(), this.#timestamp);
    for (const id of marks) this.#listener?.onMark(id);
  }

  #encode(frame: Int16Array): Buffer {
    this.#silentFrames = 0;
    return this.#codec.encode(frame);
  }

  /** Encodes silence only until the encoder's state is silent, then repeats the payload: most of a call is silence. */
  #encodeSilence(): Buffer {
    this.#silentFrames++;
    if (this.#silence && this.#silentFrames > fadingFrames) return this.#silence;
    const payload = this.#codec.encode(new Int16Array(this.rate * frameSeconds));
    if (this.#silentFrames >= fadingFrames) this.#silence = payload;
    return payload;
  }

  #decode(steps: readonly StreamStep[]): void {
    for (const step of steps) {
      if (this.#isClosing) return;
      const samples = this.#samplesOf(step);
      this.#credit -= samples.length / this.rate;
      if (samples.length > 0) this.#listener?.onAudio(samples);
    }
  }

  #samplesOf(step: StreamStep): Int16Array {
    try {
      return 'lost' in step ? this.#codec.conceal(step.next) : this.#codec.decode(step.payload);
    } catch {
      // Anyone can send an invalid payload.
      return new Int16Array(0);
    }
  }
}
