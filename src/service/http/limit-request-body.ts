import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { limits } from '../../contract/limits.ts';
import { ConversationError } from '../conversation/conversation-error.ts';
import { refuse } from './refuse.ts';

/** Refuses bodies past the limit of the wire (interface: 413 in the shape of the endpoint's other errors). */
export function limitRequestBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: limits.requestBody,
    onError: (c) => {
      // The rest of the body is not read, so nothing else can come over this connection.
      c.header('Connection', 'close');
      const error = new ConversationError(
        'body-too-large',
        `the body may have at most ${limits.requestBody} bytes`,
      );
      return refuse(c, error);
    },
  });
}
