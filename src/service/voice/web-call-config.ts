import type { SpeechConfig } from './speech-config.ts';

/** The settings of web calls. */
export interface WebCallConfig {
  isEnabled: boolean;
  /** First and last UDP port; undefined: any free port. */
  udpPorts: readonly [first: number, last: number] | undefined;
  publicAddress: string | undefined;
  stunUrl: string | undefined;
  turn: { url: string; secret: string } | undefined;
  speech: SpeechConfig;
  /** The model that transcribes the customer in calls with a realtime model. */
  transcriptionModel: string;
  /** Folder with the operator's own voices. */
  voicesFolder: string | undefined;
  /** Folder with the operator's own transcription models. */
  transcriptionModelsFolder: string | undefined;
}
