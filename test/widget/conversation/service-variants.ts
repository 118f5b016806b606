import type { ChatServerOptions } from '../../support/servers/chat-server.ts';

/** The variants of services with this interface. No variant may lose or duplicate a message. */
export const serviceVariants: readonly [does: string, options: ChatServerOptions][] = [
  ['answers in JSON', {}],
  ['streams', { streams: true }],
  ['answers in JSON and knows idempotency keys', { knowsKeys: true }],
  ['streams and knows idempotency keys', { streams: true, knowsKeys: true }],
];
