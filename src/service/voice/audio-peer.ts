/** Receives a peer's events. `onClosed` is called once, last. */
export interface AudioListener {
  /** The other side's audio, in frames of about 20 ms. */
  onAudio(samples: Int16Array): void;
  /** All audio before this mark has been played. */
  onMark(id: string): void;
  onClosed(): void;
}

/**
 * The other side of a call: 16-bit mono audio in both directions. It buffers audio, so audio can be passed to it faster
 * than real time.
 */
export interface AudioPeer {
  /** Samples per second, in both directions. */
  readonly rate: number;
  /** Called once, before any other method. Audio received earlier is lost. */
  open(listener: AudioListener): void;
  /** Queues audio for playback. */
  play(samples: Int16Array): void;
  /** Calls {@link AudioListener.onMark} when all audio queued so far has been played. */
  mark(id: string): void;
  /** Pauses playback at once. Queued audio and marks wait until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Discards all queued audio and marks, and ends a pause. */
  flush(): void;
  close(): void;
}
