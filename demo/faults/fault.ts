import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { PlainConversation, PlainConversations } from './plain-conversations.ts';

/** Requests of the widget: its settings, a new conversation, an existing one, an answer. */
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
  /** Aborts when the server stops. */
  readonly stopped: AbortSignal;
}

/** One way to fail. */
export interface Fault {
  /** The steps at which it fails. The others work. */
  readonly at: readonly Step[];
  /** Returns the faulty answer, or `undefined` for the normal one. */
  readonly answer: (request: FaultRequest) => Response | undefined | Promise<Response | undefined>;
}

export const everyStep: readonly Step[] = ['settings', 'open', 'read', 'send'];
