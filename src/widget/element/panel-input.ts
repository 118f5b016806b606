import type { AssistantSettings } from './settings-source.ts';

/** What the shell found out about the element's attributes and its assistant. */
export interface PanelInput {
  /** Where the service is, without a trailing slash. */
  readonly baseUrl: string;
  /** Why `assistant-id` cannot be an assistant's, if it cannot. */
  readonly idProblem: 'missing' | 'malformed' | undefined;
  readonly settings: AssistantSettings;
  /** Where `persist` wants things kept; undefined where nothing is kept. */
  readonly storage: Storage | undefined;
  /** Brings the modules that the first message needs into the browser's cache. */
  readonly prefetchTalk: () => Promise<unknown>;
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
