import type { AudioEndpoint } from './audio-endpoint.ts';

/** A speech provider that assistants can choose. */
interface Provider {
  code: string;
  name: string;
  /** Two-letter codes of its languages (ISO 639-1); undefined: all. */
  languages: readonly string[] | undefined;
}

/** The synthesis provider of assistants that choose it or one of its voices. */
export interface SynthesizerConfig extends Provider {
  /** Undefined: offline speech. `voice` is used for assistants without one of its voices. */
  endpoint: (AudioEndpoint & { voice: string }) | undefined;
  voices: readonly ProviderVoice[];
}

/** The transcription provider of assistants that choose it. */
export interface TranscriberConfig extends Provider {
  /** Undefined: offline transcription. */
  endpoint: AudioEndpoint | undefined;
}

/** A voice of a provider. */
export interface ProviderVoice {
  /** Its name at the endpoint. */
  code: string;
  name: string;
  /** Two-letter codes of its languages (ISO 639-1); undefined: those of its provider. */
  languages: readonly string[] | undefined;
  gender: string;
  age: string;
  accent: string;
}

/** Speech settings of calls whose audio the service transcribes and synthesizes. */
export interface SpeechConfig {
  /** Used unless the assistant's provider has an endpoint; undefined: offline speech. */
  synthesizer: (AudioEndpoint & { voice: string }) | undefined;
  /** Used unless the assistant's provider has an endpoint; undefined: offline transcription. */
  transcriber: AudioEndpoint | undefined;
  /** Whether endpoints also transcribe unfinished speech, to display it. */
  isProvisional: boolean;
  synthesizers: readonly SynthesizerConfig[];
  transcribers: readonly TranscriberConfig[];
}
