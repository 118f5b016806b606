import type { AudioEndpoint } from './audio-endpoint.ts';

/** A provider of speech that assistants can choose. */
interface Provider {
  code: string;
  name: string;
  /** Two-letter codes of its languages (ISO 639-1); undefined: all. */
  languages: readonly string[] | undefined;
}

/** What speaks for assistants that choose it, or one of its voices. */
export interface SynthesizerConfig extends Provider {
  /** Undefined: speech without a network. `voice` speaks for assistants without one of its voices. */
  endpoint: (AudioEndpoint & { voice: string }) | undefined;
  voices: readonly ProviderVoice[];
}

/** What transcribes for assistants that choose it. */
export interface TranscriberConfig extends Provider {
  /** Undefined: without a network. */
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

/** What speaks and listens in calls whose sound this service converts. */
export interface SpeechConfig {
  /** Speaks unless an assistant's provider has an endpoint; undefined: speech without a network. */
  synthesizer: (AudioEndpoint & { voice: string }) | undefined;
  /** Transcribes unless an assistant's provider has an endpoint; undefined: without a network. */
  transcriber: AudioEndpoint | undefined;
  /** Whether endpoints also transcribe what customers have said so far, to show it. */
  isProvisional: boolean;
  synthesizers: readonly SynthesizerConfig[];
  transcribers: readonly TranscriberConfig[];
}
