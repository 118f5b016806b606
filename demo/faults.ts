import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { SendMessageRequest } from '../src/contract/conversation.ts';
import { readAssistantWidget } from '../src/contract/widget-settings.ts';
import { openConversation, resumeConversation } from '../src/contract/chat-endpoints.ts';
import { errorTexts } from '../src/contract/error-texts.ts';
import { requestLimits } from '../src/contract/limits.ts';
import { sendMessage } from '../src/contract/messaging-endpoints.ts';
import { breakages } from './faults/breakages.ts';
import { changes } from './faults/changes.ts';
import type { Fault, FaultContext, FaultRequest, Step } from './faults/fault.ts';
import { otherServices } from './faults/other-services.ts';
import { PlainConversations } from './faults/plain-conversations.ts';
import { refusals } from './faults/refusals.ts';

const faultsByKind: Readonly<Record<string, Fault>> = {
  ...refusals,
  ...breakages,
  ...changes,
  ...otherServices,
};

/** Every kind of fault, by its address. */
export const faultKinds: readonly string[] = Object.keys(faultsByKind);

/** `html-on-message` is `html` for messages only: opening and reading work. The other kinds are alike. */
const onMessage = '-on-message';

function faultOf(kind: string): Fault | undefined {
  if (Object.hasOwn(faultsByKind, kind)) return faultsByKind[kind];
  const fault = kind.endsWith(onMessage) ? faultsByKind[kind.slice(0, -onMessage.length)] : undefined;
  return fault && { ...fault, at: ['send'] };
}

/** Answers of a service without faults and extras. */
function answerPlainly({ context, step, conversations, conversation, message }: FaultRequest): Response {
  if (step === 'settings')
    return context.json({ status: true, data: { name: 'Assistant', language: 'en', widget_settings: {} } });
  if (step === 'open') {
    const { uuid, history } = conversations.open();
    return context.json({ status: true, conversation_id: uuid, history });
  }
  if (conversation === undefined)
    return context.json({ status: false, error: errorTexts['conversation-not-found'] }, 404);
  if (step === 'read') return context.json({ status: true, history: conversation.history, variables: null });
  if (message === undefined) return context.json({ status: false, error: 'message is required' }, 422);
  const answer = `You wrote “${message}”. I send my answers in one piece, without streaming.`;
  conversations.add(conversation, message, answer);
  return context.json({ status: true, message: answer, function_calls: [] });
}

async function readMessage(context: FaultContext): Promise<string | undefined> {
  const body: unknown = await context.req.json().catch(() => undefined);
  return SendMessageRequest.safeParse(body).data?.message;
}

/**
 * Faulty services, one for each error that the widget shows, for use as `base-url`: `/<kind>/api/…`. Their
 * conversations are in memory.
 *
 * @param stopped aborts when the server stops, so that endless answers end.
 */
export function faults(stopped: AbortSignal): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const conversations = new PlainConversations();

  const take = (step: Step) => async (context: FaultContext) => {
    const fault = faultOf(context.req.param('kind') ?? '');
    if (fault === undefined)
      return context.json({ message: `No such fault. There are: ${faultKinds.join(', ')}.` }, 404);
    const uuid = context.req.param('uuid');
    const request: FaultRequest = {
      context,
      step,
      conversations,
      conversation: uuid === undefined ? undefined : conversations.find(uuid),
      message: step === 'send' ? await readMessage(context) : undefined,
      streaming: context.req.header('accept')?.includes('text/event-stream') ?? false,
      stopped,
    };
    const answer = fault.at.includes(step) ? await fault.answer(request) : undefined;
    return answer ?? answerPlainly(request);
  };

  app.use(
    '/:kind/api/*',
    cors({
      origin: '*',
      allowHeaders: ['Content-Type', 'Accept', 'Idempotency-Key'],
      exposeHeaders: ['Retry-After'],
      maxAge: 600,
    }),
    bodyLimit({ maxSize: requestLimits.requestBody }),
    async (context, next) => {
      // Compression would merge the chunks of an answer.
      context.header('Cache-Control', 'no-store, no-transform');
      await next();
    },
  );
  app.get(`/:kind${readAssistantWidget.path}`, take('settings'));
  app.post(`/:kind${openConversation.path}`, take('open'));
  app.get(`/:kind${resumeConversation.path}`, take('read'));
  app.post(`/:kind${sendMessage.path}`, take('send'));
  return app;
}
