import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { OpenConversationRequest, SendMessageRequest } from '../../contract/conversation.ts';
import type { Config } from '../config.ts';
import { deleteConversation } from '../conversation/delete-conversation.ts';
import { openConversation } from '../conversation/open-conversation.ts';
import { readConversation } from '../conversation/read-conversation.ts';
import { sendMessage } from '../conversation/send-message.ts';
import type { Sending } from '../conversation/send-message.ts';
import { stopReply } from '../conversation/stop-reply.ts';
import { requestAddress } from '../http/client-address.ts';
import { readIdempotencyKey } from '../http/idempotency-header.ts';
import { readJsonBody } from '../http/read-body.ts';
import { requireUuid } from '../lib/uuid.ts';
import { storableJson } from '../lib/storable.ts';
import { answerBody } from './answer-body.ts';
import { acceptsEventStream, streamReply } from './stream-reply.ts';

/** Text conversations (interface: "Text conversations"). Open to everyone who knows the UUID. */
export function conversationRoutes(
  sending: Sending,
  { reply: { keepAliveMs }, trustedProxies }: Pick<Config, 'reply' | 'trustedProxies'>,
): Hono {
  const { database } = sending;
  const routes = new Hono();
  routes.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    await next();
  });
  routes.post('/', async (c) => {
    const body = await readJsonBody(c, OpenConversationRequest);
    const request = {
      assistantUuid: body.assistant_id.toLowerCase(),
      type: body.type ?? 'widget',
      variables: storableJson(body.variables ?? {}, 'variables'),
    };
    const keyed = readIdempotencyKey(c, 'open', request);
    // The answer is a capability: whoever guesses or repeats a stranger's weak key must not be handed it.
    const own = keyed && { ...keyed, key: `${requestAddress(c, trustedProxies)} ${keyed.key}` };
    const { uuid, history } = await openConversation(database, request, own);
    return c.json({ status: true, conversation_id: uuid, history });
  });
  routes.get('/:uuid', compress(), async (c) => {
    const uuid = requireUuid(c.req.param('uuid'));
    const read = await readConversation(database, uuid, c.req.query('before'));
    const { history, variables, aiEnabled, ended, earlierCursor } = read;
    const earlier = earlierCursor === undefined ? {} : { earlier_cursor: earlierCursor };
    return c.json({ status: true, history, ...earlier, variables, ai_enabled: aiEnabled, ended });
  });
  routes.post('/:uuid/messages', async (c) => {
    const conversationUuid = requireUuid(c.req.param('uuid'));
    const body = await readJsonBody(c, SendMessageRequest);
    const message = {
      conversationUuid,
      text: body.message.toWellFormed(),
      variables: storableJson(body.variables ?? {}, 'variables'),
      pageTools: body.client_tools ?? [],
      toolResults: storableJson(body.tool_results ?? [], 'tool_results'),
    };
    // Not what goes along: a page that was loaded anew may offer other tools with the message that it repeats.
    const keyed = readIdempotencyKey(c, conversationUuid, { message: body.message });
    const reply = await sendMessage(sending, message, keyed);
    if (acceptsEventStream(c)) return streamReply(c, reply, keepAliveMs);
    return c.json(answerBody(await reply.answer));
  });
  routes.post('/:uuid/stop', async (c) => {
    await stopReply(sending, requireUuid(c.req.param('uuid')));
    return c.json({ status: true });
  });
  routes.delete('/:uuid', async (c) => {
    await deleteConversation(sending, requireUuid(c.req.param('uuid')));
    return c.json({ status: true });
  });
  return routes;
}
