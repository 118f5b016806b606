import type { ChatServerOptions } from '../../support/servers/chat-server.ts';

/** The kinds of services of this interface. With none of them may a message be lost or doubled. */
export const kindsOfService: readonly [what: string, options: ChatServerOptions][] = [
  ['answers in JSON', {}],
  ['streams', { streams: true }],
  ['answers in JSON and knows idempotency keys', { knowsKeys: true }],
  ['streams and knows idempotency keys', { streams: true, knowsKeys: true }],
];
