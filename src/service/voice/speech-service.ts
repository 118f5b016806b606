/** How a text is to be spoken. */
export interface VoiceSettings {
  /** Two-letter code (ISO 639-1). */
  language: string;
  /** Name of the voice at the service; undefined for the default. */
  voice: string | undefined;
  /** 1 is normal. */
  speed: number;
}

/** Converts between speech and text. Samples are 16-bit, mono. */
export interface SpeechService {
  /** Returns the text, empty if nothing was understood. */
  transcribe(samples: Int16Array, rate: number, language: string, signal: AbortSignal): Promise<string>;
  /** Speaks a sentence; yields the sound while it is made. */
  speak(text: string, settings: VoiceSettings, rate: number, signal: AbortSignal): AsyncIterable<Int16Array>;
}
