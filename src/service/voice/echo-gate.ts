/** Highest expected power of echo, relative to the assistant: -20 dB. */
const echoPower = 1 / 100;
/** Power below which there is no echo, relative to the assistant: -50 dB. */
const silencePower = 1e-5;
/** Power of a line on which nobody speaks: -60 dB relative to full scale. */
const noisePower = 32_768 ** 2 / 1e6;
/** Highest power of a muted microphone, of which Opus leaves a few samples of 1, or of missing packets. */
const mutedPower = 0.1;
/** Seconds of silence from the beginning of an answer that prove that there is no echo. */
const provenSeconds = 2;
/** Longest delay of echo, in seconds. */
const delaySeconds = 0.5;
/** Seconds for which the gate stays open after a loud frame, since words have quiet parts. */
const openSeconds = 0.3;

/**
 * Distinguishes the customer's speech from the assistant's echo by its level. Most browsers cancel echo, so the line is
 * silent while the assistant speaks. Once this has been observed, the gate stays open, even for quiet customers.
 */
export class EchoGate {
  readonly #rate: number;
  /** Power of the loudest frame that was played. */
  #loudest = 0;
  #playedAgo = Infinity;
  #openFor = 0;
  #silentFor = 0;
  #hasNoEcho = false;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Adds audio of the assistant. */
  addPlayed(samples: Int16Array): void {
    const frameLength = this.#rate / 50;
    for (let at = 0; at < samples.length; at += frameLength)
      this.#loudest = Math.max(this.#loudest, power(samples.subarray(at, at + frameLength)));
  }

  /**
   * Whether a frame of the line may be the customer's speech.
   *
   * @param isPlaying whether the assistant is speaking.
   */
  admits(samples: Int16Array, isPlaying: boolean): boolean {
    if (this.#hasNoEcho) return true;
    const seconds = samples.length / this.#rate;
    const level = power(samples);
    this.#playedAgo = isPlaying ? 0 : this.#playedAgo + seconds;
    this.#openFor = level > this.#loudest * echoPower ? openSeconds : this.#openFor - seconds;
    const isSilent = level <= Math.max(noisePower, this.#loudest * silencePower);
    // Silence after an echo may be a gap between two sentences. A muted microphone proves nothing.
    if (!isPlaying) this.#silentFor = 0;
    else if (level > mutedPower) this.#silentFor = isSilent ? this.#silentFor + seconds : -Infinity;
    this.#hasNoEcho = this.#silentFor >= provenSeconds;
    return this.#playedAgo > delaySeconds || this.#openFor > 0;
  }
}

function power(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum / samples.length;
}
