import type { ClientTool } from '../../client/chat-client.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/snapshot.ts';

/** A call of a page tool, and its outcome. */
export interface PageToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Shown to visitors instead of the name. */
  readonly title: string;
  readonly state: 'asked' | 'running' | 'done' | 'denied' | 'failed';
  /** The result for the assistant; undefined if an earlier visit has sent it. */
  readonly result?: unknown;
}

/** A feature that a site turns on with an attribute or a property. It loads when it is turned on. */
export interface AddOn {
  /** Returns the page tools to offer with a message. */
  readonly tools?: () => readonly ClientTool[] | undefined;
  /** Called when the site's attributes and properties may have changed. */
  readonly update?: () => void;
  /** Called when the conversation has changed. */
  readonly conversationChanged?: (conversation: Conversation) => void;
  /** Content below a message. Returns the same value as long as nothing in it changes. */
  readonly below?: (message: Message) => unknown;
  /** Returns the known calls of page tools that a message requests. */
  readonly pageToolCalls?: (message: Message) => readonly PageToolCall[] | undefined;
  /** Content in the header: a button, and a bar below it. */
  readonly inHeader?: () => unknown;
  /** Content below the name of the assistant. */
  readonly inTitles?: () => unknown;
  /** Content between the messages and the composer. */
  readonly aboveComposer?: () => unknown;
  /** Content beside the composer's field. */
  readonly inComposer?: () => unknown;
  /** Called when the panel is hidden. Returns true if its content in the header stays visible. */
  readonly hide?: () => unknown;
  /** Called when the element is removed or the feature turned off. Must clean up everything outside the shadow root. */
  readonly stop?: () => void;
}
