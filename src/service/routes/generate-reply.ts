import type { Hono } from 'hono';
import { generateReply, repliesPerMinute, replyErrorStatuses } from '../../contract/generate-reply.ts';
import type { GeneratedReply, ReplyErrorCode } from '../../contract/generate-reply.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { ConversationErrorCode } from '../lib/conversation-error.ts';
import { sendCustomerMessage } from '../conversation/send-message.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { functionCallForOwner } from '../conversation/visible-function-call.ts';
import { readIdempotencyKey } from '../http/read-request.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { limitRequests } from '../http/rate-limit.ts';
import { Refusal } from '../lib/refusal.ts';
import type { AppContext } from './app-context.ts';

const errorCodes: Partial<Record<ConversationErrorCode, ReplyErrorCode>> = {
  'assistant-not-found': 'ASSISTANT_NOT_FOUND',
  'insufficient-balance': 'INSUFFICIENT_BALANCE',
  'conversation-not-found': 'REPLY_FAILED',
  'conversation-ended': 'REPLY_FAILED',
  'limit-reached': 'REPLY_FAILED',
  'reply-failed': 'REPLY_FAILED',
};

/** Replies to customers of external systems (`POST /user/ai/generate-reply`). */
export function generateReplyRoutes(routes: Hono<Authenticated>, context: AppContext): void {
  const { database, config } = context;
  const requests = config.rateLimit.requests > 0 ? repliesPerMinute : 0;
  const window = { requests, windowSeconds: 60, prefix: 'reply' };
  routes.use(
    '/ai/generate-reply',
    limitRequests<Authenticated>(database, window, (c) => String(c.get('user').keyId)),
  );
  mountOperation(routes, generateReply, async ({ c, userId, body }): Promise<GeneratedReply> => {
    const { assistant_id: assistantId, customer_identifier: identifier, message: text } = body;
    try {
      const message = { text, variables: body.variables ?? {}, pageTools: [], toolResults: [] };
      // Not scoped to the conversation, since the first answer may end it.
      const scope = `reply ${userId} ${assistantId} ${identifier}`;
      const keyed = readIdempotencyKey(c, scope, { message: text });
      const customer = { assistantId, userId, identifier };
      const { conversationUuid, reply } = await sendCustomerMessage(context, customer, message, keyed);
      const answer = await reply.answer;
      return {
        success: true,
        conversation_id: conversationUuid,
        customer_identifier: identifier,
        reply: answer.text,
        function_calls: answer.functionCalls.map(functionCallForOwner),
        ai_disabled: !answer.aiEnabled,
      };
    } catch (error) {
      if (!(error instanceof ConversationError) || error.status === 429) throw error;
      throw toRefusal(error);
    }
  });
}

function toRefusal(error: ConversationError): Refusal {
  const code = errorCodes[error.code];
  if (!code) return new Refusal(error.status, error.toOwnerBody(), { cause: error });
  const body = { success: false, error: error.message, error_code: code };
  return new Refusal(replyErrorStatuses[code], body, { cause: error });
}
