import type { ChatServerOptions } from '../../support/servers/chat-server.ts';

/** The services of this interface that a chat may meet. Nothing may be lost or doubled with any of them. */
export const kindsOfService: readonly [what: string, options: ChatServerOptions][] = [
  ['answers in JSON', {}],
  ['streams', { streams: true }],
  ['answers in JSON and knows idempotency keys', { knowsKeys: true }],
  ['streams and knows idempotency keys', { streams: true, knowsKeys: true }],
];
