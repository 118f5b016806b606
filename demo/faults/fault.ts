import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { PlainConversation, PlainConversations } from './plain-conversations.ts';

/** What the widget asks a service for: its settings, a new conversation, an old one, an answer. */
export type Step = 'settings' | 'open' | 'read' | 'send';

export type FaultContext = Context<{ Bindings: HttpBindings }>;

export interface FaultRequest {
  readonly context: FaultContext;
  readonly step: Step;
  readonly conversations: PlainConversations;
  /** The conversation that is read or written to. */
  readonly conversation?: PlainConversation | undefined;
  /** The visitor's text, when one is sent. */
  readonly message?: string | undefined;
  /** Whether the request accepts an event stream. */
  readonly streaming: boolean;
  /** Aborts when the server stops: whatever hangs ends then. */
  readonly stopped: AbortSignal;
}

/** One way to fail. */
export interface Fault {
  /** The steps at which it fails. At the others the service is well. */
  readonly at: readonly Step[];
  /** Answers in the failing way, or with `undefined` to answer like a sound service after all. */
  readonly answer: (request: FaultRequest) => Response | undefined | Promise<Response | undefined>;
}

export const everyStep: readonly Step[] = ['settings', 'open', 'read', 'send'];
