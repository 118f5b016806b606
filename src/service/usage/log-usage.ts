import type { Logger } from 'pino';
import { fieldOf } from './count-message.ts';
import type { UsageNotice } from './count-message.ts';

/** Logs that an assistant's daily limit is nearly or fully used up. */
export function logUsage(log: Logger, conversation: string, notice: UsageNotice): void {
  const { max, used } = notice;
  log.warn(
    { conversation, limit: fieldOf(notice), max, used },
    used < max ? 'an assistant has used most of its daily limit' : 'an assistant has used up its daily limit',
  );
}
