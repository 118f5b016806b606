import type { ChatEventMap } from '../events.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import type { Rgb } from './contrast.ts';
import type { AssistantSettings } from './settings-source.ts';

/**
 * What the shell gives the panel, for good. The two are loaded apart and share no code but this: a module that both
 * import would be a third file to load.
 */
export interface PanelHost {
  readonly element: VoiceAssistantChat;
  /** The element of the shell's shadow root that wears theme and language. */
  readonly root: HTMLElement;
  readonly luminance: (color: Rgb) => number;
  readonly dispatch: <Name extends keyof ChatEventMap>(
    name: Name,
    detail?: ChatEventMap[Name]['detail'],
  ) => boolean;
  /** Closes the panel and gives the focus back to the launcher. */
  readonly close: () => void;
}

/** What the shell found out about the element's attributes and its assistant. */
export interface PanelInput {
  /** Where the service is, without a trailing slash. */
  readonly baseUrl: string;
  /** Why `assistant-id` cannot be an assistant's, if it cannot. */
  readonly idProblem: 'missing' | 'malformed' | undefined;
  readonly settings: AssistantSettings;
  /** Where `persist` wants things kept; undefined where nothing is kept. */
  readonly storage: Storage | undefined;
  /** The assistant's color, without alpha. */
  readonly accent: Rgb;
}

/** What the shell may ask of the panel. */
export interface Panel {
  update: (input: PanelInput) => void;
  /** @param takeFocus whether a person opened it, and the focus may move */
  show: (takeFocus: boolean) => void;
  hide: () => void;
  send: (text: string) => void;
  restart: () => void;
  forget: () => void;
  /** The element came into a document, again. */
  connect: () => void;
  /** The element left its document: no listener and no timer stays. */
  disconnect: () => void;
}
