import { errorTexts } from '../../src/contract/error-texts.ts';
import type { Fault, FaultRequest } from './fault.ts';

/** Messages that the service of `ended` answers in one conversation before it ends. */
const messagesBeforeTheEnd = 1;

/** How long the person of `taken-over` takes to answer, in milliseconds. */
export const personAnswersAfter = 1500;

/** Ends a conversation after its first answer: the next message is refused, and reading reports the end. */
function end({ context, step, conversation }: FaultRequest): Response | undefined {
  if (conversation === undefined) return undefined;
  const { history } = conversation;
  if (history.filter(({ role }) => role === 'user').length < messagesBeforeTheEnd) return undefined;
  if (step === 'send') return context.json({ status: false, error: errorTexts['conversation-ended'] }, 400);
  return context.json({ status: true, history, variables: null, ai_enabled: true, ended: true });
}

/**
 * A person has taken over before the first message: it is stored without an answer, and the person's message is in the
 * history a while later.
 */
function takeOver({
  context,
  step,
  conversation,
  conversations,
  message,
}: FaultRequest): Response | undefined {
  if (conversation === undefined) return undefined;
  if (step === 'send') {
    if (message === undefined) return undefined;
    if (conversation.personAnswers === undefined) {
      conversations.write(conversation, {
        role: 'system',
        content: 'A person has joined the conversation.',
      });
    }
    conversations.write(conversation, { role: 'user', content: message });
    (conversation.personAnswers ??= []).push({
      at: Date.now() + personAnswersAfter,
      content: `Hanna here. You wrote “${message}”. I answer in person.`,
    });
    return context.json({ status: true, message: '', function_calls: [], ai_enabled: false });
  }
  if (conversation.personAnswers === undefined) return undefined;
  while ((conversation.personAnswers[0]?.at ?? Infinity) <= Date.now()) {
    const content = conversation.personAnswers.shift()?.content ?? '';
    conversations.write(conversation, { role: 'assistant', content });
  }
  const { history } = conversation;
  return context.json({ status: true, history, variables: null, ai_enabled: false, ended: false });
}

/** Services without faults whose conversations change. */
export const changes = {
  ended: { at: ['read', 'send'], answer: end },
  'taken-over': { at: ['read', 'send'], answer: takeOver },
} as const satisfies Record<string, Fault>;
