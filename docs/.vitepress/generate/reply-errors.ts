import { replyErrorStatuses } from '../../../src/contract/generate-reply.ts';
import type { ReplyErrorCode } from '../../../src/contract/generate-reply.ts';
import { code, table } from './table.ts';

/** The compiler refuses a missing or unknown code. */
const causes: Readonly<Record<ReplyErrorCode, string>> = {
  ASSISTANT_NOT_FOUND: 'There is no such assistant, or it is another user’s.',
  INSUFFICIENT_BALANCE: 'The balance does not cover a message.',
  REPLY_FAILED:
    'No reply was written, for example because a daily limit is reached. The message costs nothing.',
};

/** The values of `error_code` in responses of `generate-reply`. */
export const replyErrorsTable = () =>
  table(
    ['`error_code`', 'Status', 'Cause'],
    Object.entries(replyErrorStatuses).map(([name, status]) => [
      code(name),
      String(status),
      causes[name as ReplyErrorCode],
    ]),
  );
