import { randomUUID } from 'node:crypto';
import { frameSeconds } from '../../voice/audio-codec.ts';
import type { AudioListener, AudioPeer } from '../../voice/audio-peer.ts';
import type { FrameClock } from '../../voice/frame-clock.ts';
import { createG711Codec } from '../../voice/g711-codec.ts';
import { PlayoutQueue } from '../../voice/playout-queue.ts';
import type { OutgoingStreamFrame } from './stream-frames.ts';

/** Maximum number of queued seconds of audio. */
const maxQueuedSeconds = 600;
/** Frames of silence before audio, which the carrier plays while later frames are delayed. */
const leadFrames = 3;

/**
 * A call's audio over Media Streams. It is sent in real time: the carrier cannot pause queued audio, and does not report
 * how much of it the customer has heard.
 */
export class StreamPeer implements AudioPeer {
  readonly rate: number;
  readonly #codec = createG711Codec('PCMU');
  readonly #clock: FrameClock;
  readonly #send: (frame: OutgoingStreamFrame) => void;
  readonly #queue: PlayoutQueue;
  readonly #frameLength: number;
  /** Resolve the promises of {@link playToEnd}, by mark. */
  readonly #ends = new Map<string, () => void>();
  #listener: AudioListener | undefined;
  #isSilent = true;
  #isClosed = false;

  constructor(clock: FrameClock, send: (frame: OutgoingStreamFrame) => void) {
    this.rate = this.#codec.rate;
    this.#clock = clock;
    this.#send = send;
    this.#frameLength = this.rate * frameSeconds;
    this.#queue = new PlayoutQueue(this.#frameLength, this.rate * maxQueuedSeconds);
  }

  open(listener: AudioListener): void {
    this.#listener = listener;
    this.#clock.add(this.#onFrame);
  }

  play(samples: Int16Array): void {
    this.#queue.add(samples);
  }

  /** As {@link play}. Resolves when all of it was sent, which takes longer if the process is busy, or discarded. */
  playToEnd(samples: Int16Array): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.play(samples);
    const id = randomUUID();
    this.#queue.mark(id);
    return new Promise((resolve) => this.#ends.set(id, resolve));
  }

  mark(id: string): void {
    this.#queue.mark(id);
  }

  pause(): void {
    this.#queue.pause();
    this.#clear();
  }

  resume(): void {
    this.#queue.resume();
  }

  flush(): void {
    this.#discard();
    this.#clear();
  }

  /** The server closes the connection, when the call has ended at the carrier. */
  close(): void {
    this.#isClosed = true;
    this.#clock.remove(this.#onFrame);
    this.#discard();
  }

  /** Handles audio of the customer, in Base64. */
  receive(payload: string): void {
    this.#listener?.onAudio(this.#codec.decode(Buffer.from(payload, 'base64')));
  }

  /** The connection was lost. */
  lose(): void {
    this.close();
    this.#listener?.onClosed();
  }

  #discard(): void {
    this.#queue.clear();
    for (const resolve of this.#ends.values()) resolve();
    this.#ends.clear();
  }

  /** Discards the audio that the carrier has received. */
  #clear(): void {
    if (!this.#isSilent) this.#send({ event: 'clear' });
    this.#isSilent = true;
  }

  readonly #onFrame = (): void => {
    const { marks, frame } = this.#queue.take();
    if (frame) {
      if (this.#isSilent) this.#sendAudio(new Int16Array(leadFrames * this.#frameLength));
      this.#sendAudio(frame);
    }
    this.#isSilent = !frame;
    for (const id of marks) {
      const resolve = this.#ends.get(id);
      this.#ends.delete(id);
      if (resolve) resolve();
      else this.#listener?.onMark(id);
    }
  };

  #sendAudio(samples: Int16Array): void {
    this.#send({ event: 'media', media: { payload: this.#codec.encode(samples).toString('base64') } });
  }
}
