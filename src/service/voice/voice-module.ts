import type { Logger } from 'pino';
import type { AudioPeer } from './audio-peer.ts';
import type { Synthesizer } from './synthesizer.ts';
import type { Transcriber } from './transcriber.ts';

/** Name of the optional package that exports {@link CreateVoice} as `createVoice`. */
export const voicePackage = 'voice-assistant-chat-voice';

/** A STUN or TURN server, as in a browser's `RTCConfiguration`. */
export interface IceServer {
  urls: string;
  username?: string;
  credential?: string;
}

/** Network settings for the audio of web calls. */
export interface MediaSettings {
  /** First and last UDP port, at least eleven ports; undefined: any free port. */
  udpPorts?: readonly [first: number, last: number] | undefined;
  /** IP address under which browsers reach this machine, if it is behind address translation. */
  publicAddress?: string | undefined;
  /** IP address of the interface to use; undefined: all of them, except loopback. */
  listenAddress?: string | undefined;
}

/** Settings of offline speech. */
export interface OfflineSpeechSettings {
  /** Folder with the operator's own voices, one subfolder per language. */
  voicesFolder?: string | undefined;
  /** Folder with the operator's own transcription models, one subfolder per model. */
  transcriptionModelsFolder?: string | undefined;
}

export interface VoiceModuleSettings {
  media: MediaSettings;
  speech?: OfflineSpeechSettings;
}

/**
 * The optional package: audio for web calls and offline speech. It bundles copies of the service's classes, so
 * `instanceof` fails between the two.
 */
export interface VoiceModule {
  /** Answers WebRTC offers. The audio passes through this process. */
  readonly media: MediaServer;
  /** The offline synthesizer; undefined if components are missing. */
  readonly synthesizer: Synthesizer | undefined;
  /** The offline transcriber; undefined if components are missing. */
  readonly transcriber: Transcriber | undefined;
  /** Missing components, one sentence each, for `/readyz`. */
  readonly problems: readonly string[];
  /** Creates a speech detector. If undefined, the service detects speech by loudness. */
  readonly createDetector?: ((rate: number) => SpeechDetector) | undefined;
  close(): Promise<void>;
}

export type CreateVoice = (settings: VoiceModuleSettings, log: Logger) => Promise<VoiceModule>;

export interface MediaServer {
  /**
   * Answers a browser's offer. The answer has all candidates.
   *
   * @throws Error if answering fails for a reason other than the offer.
   */
  answer(offer: string): Promise<WebAnswer | RefusedOffer>;
  /** Returns why it cannot answer any offer, as a sentence; undefined if it can. Checked at most every few seconds. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface WebAnswer {
  sdp: string;
  /** Must be closed by the caller. It also closes itself if the browser does not connect within 15 seconds. */
  peer: WebPeer;
}

/** The offer cannot be answered. The reason is a sentence for the developer of the page. */
export interface RefusedOffer {
  refused: 'invalid-offer' | 'no-port' | 'stopping';
  reason: string;
}

/** A browser: audio in both directions and the data channel `events`. */
export interface WebPeer extends AudioPeer {
  /** Resolves with true once the browser is connected, or with false if it is closed before. */
  readonly connected: Promise<boolean>;
  /**
   * Sends an event, or queues it until the data channel is open. The event is sent even if the peer is closed right
   * afterwards.
   */
  send(event: Readonly<Record<string, unknown>>): void;
  /**
   * Called with each event from the browser: an object of at most 64 KiB as JSON. Anything else is dropped. Set it
   * before {@link open}.
   */
  onEvent?: ((event: Readonly<Record<string, unknown>>) => void) | undefined;
  /**
   * Called 50 times a second with the frame sent to the browser (undefined for silence) and the number of preceding
   * frames that were skipped because the process was busy.
   */
  onPlayed?: ((frame: Int16Array | undefined, skipped: number) => void) | undefined;
}

/** Detects speech. Returns one boolean per complete frame. */
export interface SpeechDetector {
  readonly frameSeconds: number;
  detect(samples: Int16Array): boolean[];
  close?(): void;
}
