import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { limits, recordLimits } from '../../contract/limits.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { answerRefusal } from './answer-error.ts';
import { drain } from './drain.ts';

/** The endpoint that accepts files. */
const uploads = /^\/api\/user\/knowledgebases\/\d+\/documents$/;

/** Refuses bodies above the limit (interface: 413 in the format of the endpoint's other errors). */
export function limitRequestBody(): MiddlewareHandler {
  const [small, large] = [limitTo(limits.requestBody), limitTo(recordLimits.knowledgebase.upload)];
  return (c, next) => (uploads.test(c.req.path) ? large : small)(c, next);
}

function limitTo(bytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: bytes,
    onError: async (c) => {
      await drain(c, bytes * 2);
      return answerRefusal(
        c,
        new ConversationError('body-too-large', `the body may have at most ${bytes} bytes`),
      );
    },
  });
}
