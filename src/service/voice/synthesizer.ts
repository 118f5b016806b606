/** How a text is to be spoken. */
export interface SynthesisSettings {
  /** Two-letter code (ISO 639-1). */
  language: string;
  /** Name of the voice at the synthesizer; undefined for the default. */
  voice: string | undefined;
  /** The assistant's voice, for synthesizers without it. */
  similarTo?: { gender: string; accent: string } | undefined;
  /** 1 is normal. */
  speed: number;
}

/** Converts text to speech. Samples are 16-bit, mono. */
export interface Synthesizer {
  /** Speaks a sentence and streams its audio. */
  speak(
    text: string,
    settings: SynthesisSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncIterable<Int16Array>;
  /** Prepares for a call that begins soon, such as by loading a voice. Has no effect if that has been done. */
  warmUp?(settings: SynthesisSettings): void;
  /** Returns why it cannot serve a language, as a sentence; undefined if it can. */
  problem?(language: string): string | undefined;
}
