import type { CallStatus } from '../../../contract/call.ts';
import type { CallMessage } from '../../db/calls-table.ts';

/**
 * The status after the customer hung up: completed if the assistant has answered the customer's last words.
 *
 * @param hasGreeting whether the assistant's first message is a greeting, which is no answer.
 */
export function hangUpStatus(messages: readonly CallMessage[], hasGreeting = true): CallStatus {
  // Messages without text only contain function calls, which the customer did not hear.
  const roles = messages.filter(({ content }) => content !== '').map(({ role }) => role);
  const opened = hasGreeting ? roles.indexOf('assistant') : -1;
  const replied =
    (opened >= 0 || !hasGreeting) && roles.lastIndexOf('user') > opened && roles.at(-1) === 'assistant';
  return replied ? 'completed' : 'ended_by_customer';
}
