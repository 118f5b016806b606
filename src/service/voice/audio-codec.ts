/** Encodes and decodes the audio of one call: mono, 16-bit samples. */
export interface AudioCodec {
  /** Samples per second. */
  readonly rate: number;
  /** Steps of the RTP timestamp per second. */
  readonly clockRate: number;
  encode(frame: Int16Array): Buffer;
  /** @throws if the payload is not valid. */
  decode(payload: Uint8Array): Int16Array;
  /** Replaces a lost frame. `next` is the following payload, if it was received. */
  conceal(next: Uint8Array | undefined): Int16Array;
  close(): void;
}

/** Seconds of audio in each sent packet. */
export const frameSeconds = 0.02;
