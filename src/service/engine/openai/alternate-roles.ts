import type { ChatMessage } from './build-prompt.ts';

/** The words of chat templates that require alternating roles, such as those of Gemma 3 and older Mistral models. */
export const isAlternationRefusal = (message: string): boolean => /roles must alternate/i.test(message);

/** Precedes a greeting, since the first message must be the visitor's. */
const opening: ChatMessage = { role: 'user', content: '(The conversation begins here.)' };

/** Stands for the answer of the assistant to a message whose answer was stopped while its function calls ran. */
const stopped: ChatMessage = { role: 'assistant', content: '(The answer was stopped.)' };

/** Merges neighboring messages of one role, and makes the first one after the instructions a message of the user. */
export function alternateRoles(messages: readonly ChatMessage[]): ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role === 'assistant' && (!last || last.role === 'system')) result.push(opening);
    if (last && isPlain(last) && isPlain(message) && last.role === message.role)
      result[result.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    else {
      if (message.role === 'user' && result.findLast(isPlain)?.role === 'user') result.push(stopped);
      result.push(message);
    }
  }
  return result;
}

/** Whether a message is a text of the visitor or the assistant. Templates do not count function calls and their results. */
const isPlain = (
  message: ChatMessage,
): message is ChatMessage & { role: 'user' | 'assistant'; content: string } =>
  (message.role === 'user' || (message.role === 'assistant' && !message.tool_calls)) &&
  typeof message.content === 'string';
