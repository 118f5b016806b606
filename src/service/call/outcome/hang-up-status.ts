import type { CallStatus } from '../../../contract/call.ts';
import type { CallMessage } from '../../db/calls-table.ts';

/**
 * The status after the customer hung up: completed if the assistant has answered the customer's last words. The initial
 * message is no answer.
 */
export function hangUpStatus(messages: readonly CallMessage[]): CallStatus {
  // Messages without text only contain function calls, which the customer did not hear.
  const heard = messages.filter(({ content }) => content !== '');
  const greeting = heard.findLastIndex(({ kind }) => kind === 'greeting');
  const lastWords = heard.findLastIndex(({ role }) => role === 'user');
  return lastWords > greeting && heard.at(-1)?.role === 'assistant' ? 'completed' : 'ended_by_customer';
}
