import type { usageLimits } from '../../contract/webhook.ts';

/** A daily limit that is nearly or fully used up. */
export interface UsageNotice {
  limit: (typeof usageLimits)[number];
  /** Messages, bytes for `stored_bytes_per_day`, or USD for `daily_spending_limit`. */
  max: number;
  used: number;
  /** 100 also if what is left does not cover another message or minute. */
  percent: 80 | 100;
}

/** Returns the notice for an owner's spending that grew by `amount` USD. */
export const spendingNotice = (
  { spent, limit }: { spent: number; limit: number | null },
  amount: string,
): UsageNotice | undefined =>
  limit === null
    ? undefined
    : noticeOf({ limit: 'daily_spending_limit', max: limit, used: spent }, Number(amount));

/** Returns the notice for a usage that grew by `amount`, if that crossed the warning, or leaves no room for another. */
export function noticeOf(usage: Omit<UsageNotice, 'percent'>, amount: number): UsageNotice | undefined {
  const { max, used } = usage;
  // Sums of floating-point amounts: 0.1 + 0.2 is more than 0.3.
  if (used + amount > max + 1e-9) return { ...usage, percent: 100 };
  const warning = max * 0.8;
  return used >= warning && used - amount < warning ? { ...usage, percent: 80 } : undefined;
}
