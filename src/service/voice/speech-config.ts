import type { AudioEndpoint } from './audio-endpoint.ts';

/** What speaks and listens in calls whose sound this service converts. */
export interface SpeechConfig {
  /** Speaks unless an assistant's provider has an endpoint; undefined: speech without a network. */
  synthesizer: (AudioEndpoint & { voice: string }) | undefined;
  /** Transcribes unless an assistant's provider has an endpoint; undefined: without a network. */
  transcriber: AudioEndpoint | undefined;
}
