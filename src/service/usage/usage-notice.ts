import type { usageLimits } from '../../contract/webhook.ts';

/** A daily limit that is nearly or fully used up. */
export interface UsageNotice {
  limit: (typeof usageLimits)[number];
  /** Messages, or USD for `daily_spending_limit`. */
  max: number;
  used: number;
}

/** The share of a limit at which its owner is warned. */
const warningShare = 0.8;

/** Returns the notice for an owner's spending that grew by `amount` USD. */
export const spendingNotice = (
  { spent, limit }: { spent: number; limit: number | null },
  amount: string,
): UsageNotice | undefined =>
  limit === null
    ? undefined
    : noticeOf({ limit: 'daily_spending_limit', max: limit, used: spent }, Number(amount));

/** Returns the notice for a usage that grew by `amount`, if it crossed the warning or the limit. */
export function noticeOf(notice: UsageNotice, amount: number): UsageNotice | undefined {
  const { max, used } = notice;
  const before = used - amount;
  const crosses = (threshold: number) => before < threshold && used >= threshold;
  return crosses(max * warningShare) || crosses(max) ? notice : undefined;
}
