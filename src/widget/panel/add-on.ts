import type { ClientTool } from '../../client/chat-client.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { PanelReach } from './panel-reach.ts';

/** How the panel stands at one moment. */
export interface PanelState {
  readonly conversation: Conversation;
  readonly options: ChatOptions;
  /** Undefined until the first texts are there. */
  readonly locale: Locale | undefined;
}

/** What an add-on may reach. */
export interface AddOnReach extends PanelReach {
  state(): PanelState;
}

/** A call of a function of the page, and what became of it. */
export interface PageCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What visitors read in place of the name. */
  readonly title: string;
  readonly state: 'asked' | 'running' | 'done' | 'denied' | 'failed';
  /** What the assistant learns of it; undefined where an earlier visit told that. */
  readonly result?: unknown;
}

/** A part of the chat that a site asks for by an attribute or a property. It loads then, and acts on its own. */
export interface AddOn {
  /** The functions of the page that go with a message. */
  readonly tools?: () => readonly ClientTool[] | undefined;
  /** The site asks for this, and may have changed what it says. */
  readonly update?: () => void;
  /** Something happened in the conversation. */
  readonly follow?: (conversation: Conversation) => void;
  /** What stands below a message: the same value for as long as nothing of it changes. */
  readonly below?: (message: Message) => unknown;
  /** The calls of the page's functions that a message asks for, as far as they are known. */
  readonly pageCalls?: (message: Message) => readonly PageCall[] | undefined;
  /** What stands beside the field of the composer. */
  readonly besideField?: () => unknown;
  /** The panel is hidden. */
  readonly hide?: () => void;
  /** The element is gone, or the site no longer asks for this: nothing of it stays outside the shadow root. */
  readonly stop?: () => void;
}
