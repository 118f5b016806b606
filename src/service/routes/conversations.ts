import { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { OpenConversationRequest, SendMessageRequest } from '../../contract/conversation.ts';
import { StartVoiceRequest } from '../../contract/web-call.ts';
import type { Config } from '../config.ts';
import type { ConversationEvents } from '../conversation/conversation-events.ts';
import { deleteConversation } from '../conversation/delete-conversation.ts';
import { openConversation } from '../conversation/open-conversation.ts';
import { readConversation } from '../conversation/read-conversation.ts';
import { sendMessage } from '../conversation/send-message.ts';
import type { SendingDependencies } from '../conversation/send-message.ts';
import { stopReply } from '../conversation/stop-reply.ts';
import { requestAddress, requestNetwork } from '../http/client-address.ts';
import { readIdempotencyKey, readJsonBody } from '../http/read-request.ts';
import { requireUuid } from '../lib/uuid.ts';
import { storableJson } from '../lib/storable.ts';
import { identifyVisitor } from '../user-token/identify-visitor.ts';
import type { WebCalls } from '../web-call/web-calls.ts';
import { answerBody } from './answer-body.ts';
import { streamEvents } from './watch-conversation.ts';
import { acceptsEventStream, streamReply } from './stream-reply.ts';

/** Text conversations (interface: "Text conversations"). Accessible to everyone who knows the UUID. */
export function conversationRoutes(
  context: SendingDependencies & { events: ConversationEvents; webCalls: WebCalls; log: Logger },
  {
    reply: { keepAliveMs },
    trustedProxies,
    rateLimit,
  }: Pick<Config, 'reply' | 'trustedProxies' | 'rateLimit'>,
): Hono {
  const { database, events, webCalls, log } = context;
  const routes = new Hono();
  const sender = (c: Context) => ({
    addressBlock: requestAddress(c, trustedProxies),
    addressNetwork: requestNetwork(c, trustedProxies),
    origin: c.req.header('Origin'),
  });
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
    const visitor = await identifyVisitor(database, { ...request, userToken: body.user_token });
    const opening = { ...request, visitor, sender: sender(c), isNew: body.new_conversation ?? false };
    const { verifiedUser } = visitor;
    // Without a key, a repeat resumes the verified user's conversation.
    const isKeyed = verifiedUser === null || opening.isNew;
    const keyed = isKeyed ? readIdempotencyKey(c, 'open', { ...request, verifiedUser }) : undefined;
    // The response is a capability, so a guessed key of another client must not reveal it.
    const clientKeyed = keyed && { ...keyed, key: `${requestAddress(c, trustedProxies)} ${keyed.key}` };
    const { uuid, history, eventsCursor } = await openConversation(context, opening, clientKeyed);
    return c.json({ status: true, conversation_id: uuid, history, events_cursor: eventsCursor });
  });
  routes.get('/:uuid', compress(), async (c) => {
    const uuid = requireUuid(c.req.param('uuid'));
    const read = await readConversation(database, uuid, c.req.query('before'));
    const { history, variables, aiEnabled, ended } = read;
    const cursors = { earlier_cursor: read.earlierCursor, events_cursor: read.eventsCursor };
    return c.json({ status: true, history, variables, ai_enabled: aiEnabled, ended, ...cursors });
  });
  routes.get('/:uuid/events', (c) => {
    const visitor = rateLimit.requests === 0 ? undefined : sender(c);
    return streamEvents(c, events, { visitor, keepAliveMs, log });
  });
  routes.post('/:uuid/messages', async (c) => {
    const conversationUuid = requireUuid(c.req.param('uuid'));
    const body = await readJsonBody(c, SendMessageRequest);
    const message = {
      text: body.message.toWellFormed(),
      variables: storableJson(body.variables ?? {}, 'variables'),
      pageTools: body.client_tools ?? [],
      toolResults: storableJson(body.tool_results ?? [], 'tool_results'),
      sender: sender(c),
      proofOfWork: body.proof_of_work ?? undefined,
    };
    // Only the message: after a reload, the page may send other tools with the repeated message.
    const keyed = readIdempotencyKey(c, conversationUuid, { message: body.message });
    const reply = await sendMessage(context, conversationUuid, message, keyed);
    if (acceptsEventStream(c)) return streamReply(c, reply, keepAliveMs);
    return c.json(answerBody(await reply.answer));
  });
  routes.post('/:uuid/stop', async (c) => {
    await stopReply(context, requireUuid(c.req.param('uuid')));
    return c.json({ status: true });
  });
  routes.get('/:uuid/voice', async (c) => {
    const options = await webCalls.read(requireUuid(c.req.param('uuid')), sender(c));
    const { iceServers, maxSeconds, isRecorded } = options;
    return c.json({
      status: true,
      ice_servers: iceServers,
      max_seconds: maxSeconds,
      is_recorded: isRecorded,
    });
  });
  routes.post('/:uuid/voice', async (c) => {
    const uuid = requireUuid(c.req.param('uuid'));
    const { sdp, call, proof_of_work: proof } = await readJsonBody(c, StartVoiceRequest);
    const caller = { sender: sender(c), proofOfWork: proof ?? undefined };
    const started = await webCalls.start(uuid, { offer: sdp, token: call ?? undefined, ...caller });
    const { token, maxSeconds, isRecorded } = started;
    return c.json(
      { status: true, sdp: started.sdp, call: token, max_seconds: maxSeconds, is_recorded: isRecorded },
      201,
    );
  });
  routes.delete('/:uuid/voice', async (c) => {
    await webCalls.end(requireUuid(c.req.param('uuid')), c.req.query('call'));
    return c.json({ status: true });
  });
  routes.delete('/:uuid', async (c) => {
    await deleteConversation(context, requireUuid(c.req.param('uuid')));
    return c.json({ status: true });
  });
  return routes;
}
