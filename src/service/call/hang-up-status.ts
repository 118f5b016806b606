import type { CallStatus } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';

/**
 * The status after the customer hung up: completed if the assistant has answered the customer's last words.
 *
 * @param hasGreeting whether the assistant's first words are no answer.
 */
export function hangUpStatus(lines: readonly CallMessage[], hasGreeting = true): CallStatus {
  // A line without words has what was done, which the customer has not heard.
  const roles = lines.filter(({ content }) => content !== '').map(({ role }) => role);
  const opened = hasGreeting ? roles.indexOf('assistant') : -1;
  const replied =
    (opened >= 0 || !hasGreeting) && roles.lastIndexOf('user') > opened && roles.at(-1) === 'assistant';
  return replied ? 'completed' : 'ended_by_customer';
}
