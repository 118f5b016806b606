import type { AssistantSettings } from './settings-source.ts';

/** The values that the shell passes to the panel. */
export interface PanelInput {
  /** The service's origin, without a trailing slash. */
  readonly baseUrl: string;
  /** Why the attributes cannot lead to a conversation, if they cannot. */
  readonly setupProblem: 'assistant-id-missing' | 'assistant-id-malformed' | 'base-url-missing' | undefined;
  readonly settings: AssistantSettings;
  /** The storage that `persist` names; undefined if nothing may be stored. */
  readonly storage: Storage | undefined;
  /** Loads a module before it is needed. What it returns may reject. */
  readonly preload: (module: PreloadedModule) => unknown;
}

/** The lazy modules that most conversations need later. */
export type PreloadedModule = 'messaging' | 'markdown' | 'extras';

/** The panel's methods, called by the shell. */
export interface Panel {
  update: (input: PanelInput) => void;
  /** @param takeFocus whether a person opened the panel, so that the focus may move */
  show: (takeFocus: boolean) => void;
  hide: () => void;
  send: (text: string) => void;
  restart: () => void;
  forget: () => void;
  /** The element was connected again. */
  connect: () => void;
  /** The element was disconnected: removes every listener and timer. */
  disconnect: () => void;
}
