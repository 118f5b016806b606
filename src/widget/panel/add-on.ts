import type { ClientTool } from '../../client/chat-client.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/snapshot.ts';

/** A call of a function of the page, and its outcome. */
export interface PageCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Shown to visitors instead of the name. */
  readonly title: string;
  readonly state: 'asked' | 'running' | 'done' | 'denied' | 'failed';
  /** The result for the assistant; undefined if an earlier visit has sent it. */
  readonly result?: unknown;
}

/** A feature that a site turns on by an attribute or a property. It loads then, and acts on its own. */
export interface AddOn {
  /** The functions of the page to send with a message. */
  readonly tools?: () => readonly ClientTool[] | undefined;
  /** The site's attributes and properties may have changed. */
  readonly update?: () => void;
  /** The conversation has changed. */
  readonly follow?: (conversation: Conversation) => void;
  /** Content below a message. Returns the same value as long as nothing in it changes. */
  readonly below?: (message: Message) => unknown;
  /** The calls of the page's functions that a message requests, as far as they are known. */
  readonly pageCalls?: (message: Message) => readonly PageCall[] | undefined;
  /** Content beside the composer's field. */
  readonly besideField?: () => unknown;
  /** The panel is hidden. */
  readonly hide?: () => void;
  /** The element was removed, or the feature was turned off. Nothing may stay outside the shadow root. */
  readonly stop?: () => void;
}
