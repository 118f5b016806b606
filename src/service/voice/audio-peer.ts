/** What a peer reports. `onClosed` is called last and once. */
export interface AudioListener {
  /** The other side's sound, in frames of about 20 ms. */
  onAudio(samples: Int16Array): void;
  /** Everything that was played before this mark has been heard. */
  onMark(id: string): void;
  onClosed(): void;
}

/**
 * The other side of a call as sound in both directions: 16-bit samples, mono. It plays at its own pace, so sound can be
 * passed to it as fast as it is made.
 */
export interface AudioPeer {
  /** Samples a second, in both directions. */
  readonly rate: number;
  /** Called once, before all else. Sound that came before is lost. */
  open(listener: AudioListener): void;
  /** Plays sound after all that was passed before. */
  play(samples: Int16Array): void;
  /** Has {@link AudioListener.onMark} called when all sound that was passed before has been heard. */
  mark(id: string): void;
  /** Falls silent at once. All sound and marks that are still to come wait until it is resumed. */
  pause(): void;
  resume(): void;
  /** Discards all sound and marks that are still to come, and ends a pause. */
  flush(): void;
  close(): void;
}
