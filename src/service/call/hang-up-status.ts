import type { CallStatus } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';

/** The status after the customer hung up: completed if the assistant has answered the customer's last words. */
export function hangUpStatus(lines: readonly CallMessage[]): CallStatus {
  const roles = lines.map(({ role }) => role);
  const opened = roles.indexOf('assistant');
  const replied = opened >= 0 && roles.lastIndexOf('user') > opened && roles.at(-1) === 'assistant';
  return replied ? 'completed' : 'ended_by_customer';
}
