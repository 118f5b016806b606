import type { Logger } from 'pino';
import type { AudioPeer } from './audio-peer.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';

/** Name of the optional package that exports {@link CreateVoice} as `createVoice`. */
export const voicePackage = 'voice-assistant-chat-voice';

/** A STUN or TURN server, as in a browser's `RTCConfiguration`. */
export interface IceServer {
  urls: string;
  username?: string;
  credential?: string;
}

/** Where calls from browsers send and receive their sound. */
export interface MediaSettings {
  /** First and last UDP port, at least ten apart; undefined: any free port. */
  udpPorts?: readonly [first: number, last: number] | undefined;
  /** IP address under which browsers reach this machine, if it is behind address translation. */
  publicAddress?: string | undefined;
  /** IP address of the interface to use; undefined: all of them, except loopback. */
  listenAddress?: string | undefined;
}

/** Speech without a network. */
export interface OfflineSpeechSettings {
  /** Folder with voices of the operator, one folder for each language. */
  modelFolder?: string | undefined;
}

export interface VoiceModuleSettings {
  media: MediaSettings;
  speech?: OfflineSpeechSettings;
}

/**
 * The optional package with sound for web calls and speech without a network. It contains copies of the service's
 * classes, so `instanceof` does not hold between the two.
 */
export interface VoiceModule {
  /** Answers WebRTC offers; the sound goes through this process. */
  readonly media: MediaServer;
  /** Speaks without a network; undefined if parts are missing. */
  readonly synthesizer: Synthesizer | undefined;
  /** Transcribes without a network; undefined if parts are missing. */
  readonly transcriber: Transcriber | undefined;
  /** Missing parts, one sentence each, for `/readyz`. */
  readonly problems: readonly string[];
  /** Creates a detector of speech; undefined: the service detects it by loudness. */
  readonly createDetector?: ((rate: number) => SpeechDetector) | undefined;
  close(): Promise<void>;
}

export type CreateVoice = (settings: VoiceModuleSettings, log: Logger) => Promise<VoiceModule>;

export interface MediaServer {
  /**
   * Answers a browser's offer. The answer has all candidates.
   *
   * @throws Error if something else than the offer is at fault.
   */
  answer(offer: string): Promise<WebAnswer | RefusedOffer>;
  /** Returns why it cannot answer any offer, as a sentence; undefined if it can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface WebAnswer {
  sdp: string;
  /** Must be closed, even if the browser never connects: it closes itself after 30 seconds without connection. */
  peer: WebPeer;
}

/** The offer cannot be answered; the reason is a sentence for the developer of the page. */
export interface RefusedOffer {
  refused: 'invalid-offer' | 'no-port' | 'stopping';
  reason: string;
}

/** A browser: sound in both directions and the data channel `events`. */
export interface WebPeer extends AudioPeer {
  /** Resolves with true once the browser is connected, or with false if it is closed before. */
  readonly connected: Promise<boolean>;
  /** Sends an event, also if the peer is closed right after that. It is kept until the data channel is open. */
  send(event: Readonly<Record<string, unknown>>): void;
  /**
   * Called with each event of the browser: an object, at most 64 KiB as JSON; anything else is dropped. Set it before
   * {@link open}.
   */
  onEvent?: ((event: Readonly<Record<string, unknown>>) => void) | undefined;
  /**
   * Called 50 times a second with the sound that the browser is sent, undefined for silence, and with the number of
   * frames before it that were left out because the process was busy.
   */
  onPlayed?: ((frame: Int16Array | undefined, skipped: number) => void) | undefined;
}

/** Decides which frames are speech: one boolean for each complete frame. */
export interface SpeechDetector {
  readonly frameSeconds: number;
  detect(samples: Int16Array): boolean[];
  close?(): void;
}
