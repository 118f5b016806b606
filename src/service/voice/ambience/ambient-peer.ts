import type { AudioListener, AudioPeer } from '../audio-peer.ts';
import type { AmbientSound } from './ambient-sound.ts';
import { renderAmbience } from './render-ambience.ts';

/** Frame length of peers that pad audio that does not fill a frame. */
const frameSeconds = 0.02;
/** Seconds of background queued at once, and queued ahead. Speech plays after the queued background. */
const chunkSeconds = 0.04;
const secondsAhead = 0.12;

/** Prefix of this class's own marks, which contain the number of flushes and of samples before them. */
const ownMark = 'ambience ';

/** Mixes a background sound into the played audio, and plays it during silence. */
class AmbientPeer implements AudioPeer, AudioListener {
  readonly rate: number;
  readonly #peer: AudioPeer;
  readonly #loop: Int16Array;
  readonly #volume: number;
  #listener: AudioListener | undefined;
  #isClosed = false;
  /** Number of samples passed to the peer, and of samples known to be played. */
  #passed = 0;
  #played = 0;
  /** Position of the latest mark since the last flush. */
  #markedAt: number | undefined;
  /** Samples that do not fill a frame. */
  #rest = new Int16Array(0);
  /** Number of flushes. Distinguishes marks after a flush from those before it. */
  #flushes = 0;

  constructor(peer: AudioPeer, { name, volume }: AmbientSound) {
    this.rate = peer.rate;
    this.#peer = peer;
    this.#loop = renderAmbience(name, peer.rate);
    this.#volume = volume;
  }

  open(listener: AudioListener): void {
    this.#listener = listener;
    this.#peer.open(this);
    this.#fill();
  }

  play(samples: Int16Array): void {
    const joined = new Int16Array(this.#rest.length + samples.length);
    joined.set(this.#rest);
    joined.set(samples, this.#rest.length);
    const frame = this.rate * frameSeconds;
    const whole = joined.length - (joined.length % frame);
    this.#rest = joined.slice(whole);
    this.#pass(joined.subarray(0, whole));
  }

  mark(id: string): void {
    this.#passRest();
    this.#peer.mark(id);
  }

  /** The background pauses, too: it is already mixed into the speech. */
  pause(): void {
    this.#peer.pause();
  }

  resume(): void {
    this.#peer.resume();
  }

  flush(): void {
    this.#rest = new Int16Array(0);
    this.#peer.flush();
    // The background continues where it was cut off.
    this.#passed = this.#played;
    this.#markedAt = undefined;
    this.#flushes += 1;
    this.#fill();
  }

  close(): void {
    this.#isClosed = true;
    this.#peer.close();
  }

  onAudio(samples: Int16Array): void {
    this.#listener?.onAudio(samples);
  }

  onMark(id: string): void {
    if (!id.startsWith(ownMark)) {
      this.#listener?.onMark(id);
      return;
    }
    const [flushes, position] = id.slice(ownMark.length).split(' ').map(Number);
    if (flushes !== this.#flushes) return;
    this.#played = position ?? 0;
    this.#fill();
  }

  onClosed(): void {
    this.#isClosed = true;
    this.#listener?.onClosed();
  }

  /** Queues background if little audio is queued. */
  #fill(): void {
    const chunk = this.rate * chunkSeconds;
    while (!this.#isClosed && this.#passed - this.#played <= this.rate * secondsAhead) {
      this.#passRest();
      this.#pass(new Int16Array(chunk));
    }
  }

  #passRest(): void {
    if (this.#rest.length === 0) return;
    const frame = new Int16Array(this.rate * frameSeconds);
    frame.set(this.#rest);
    this.#rest = new Int16Array(0);
    this.#pass(frame);
  }

  /** Sets marks that report when the queue runs low, so that background follows without a gap. */
  #pass(samples: Int16Array): void {
    const chunk = this.rate * chunkSeconds;
    for (let at = 0; at < samples.length; at += chunk) {
      if (this.#markedAt === undefined || this.#passed - this.#markedAt >= chunk) {
        this.#markedAt = this.#passed;
        this.#peer.mark(`${ownMark}${String(this.#flushes)} ${String(this.#passed)}`);
      }
      const mixed = this.#mix(samples.subarray(at, at + chunk));
      this.#passed += mixed.length;
      this.#peer.play(mixed);
    }
  }

  #mix(samples: Int16Array): Int16Array {
    return samples.map((sample, index) => {
      const background = this.#loop[(this.#passed + index) % this.#loop.length] ?? 0;
      return Math.max(-32_768, Math.min(32_767, sample + Math.round(background * this.#volume)));
    });
  }
}

/** Adds a background sound to a peer, if there is one. */
export const withAmbience = (peer: AudioPeer, sound: AmbientSound | undefined): AudioPeer =>
  sound ? new AmbientPeer(peer, sound) : peer;
