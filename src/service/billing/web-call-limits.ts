import { and, count, eq, inArray, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { voiceErrorTexts } from '../../contract/voice-endpoints.ts';
import { calls, webCallMinutes } from '../db/calls-table.ts';
import { conversations } from '../db/schema.ts';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';

/** The operator's limits of web calls. `Infinity` is no limit; days are in UTC. */
export interface WebCallLimits {
  /** Calls of one assistant at the same time. */
  perAssistant: number;
  /** Started minutes a day from one block of addresses, with all assistants of an owner. */
  visitorMinutes: number;
  /** Started minutes a day of all calls of an owner. */
  ownerMinutes: number;
  /** Those of them that anybody can make for free. They do not count as minutes of the owner. */
  testMinutes: number;
}

/** Maximum number of free calls of one assistant at the same time. They do not count as calls of visitors. */
const maxTestCalls = 2;

/** Who calls whom. */
export interface CallParties {
  userId: number;
  /** The visitor's block of addresses. */
  visitor: string;
  /** Whether anybody can make this call for free: it is a test without a preview token. */
  isTest: boolean;
}

const limitTexts = {
  perAssistant: 'Too many visitors are calling this assistant at the moment.',
  visitorMinutes: 'No more minutes are left for this visitor today.',
  ownerMinutes: 'No more minutes are left for this assistant today.',
  testMinutes: 'No more minutes are left for tests today. A preview token lifts this limit.',
} as const satisfies Record<keyof WebCallLimits, string>;

const limitReached = (limit: keyof WebCallLimits) =>
  new Refusal(429, { status: false, error: `${voiceErrorTexts.limitReached} ${limitTexts[limit]}` });

/**
 * Checks whether a call may begin. The owner's row must be locked, so that concurrent calls do not exceed the limits.
 *
 * @throws Refusal
 */
export async function checkWebCallLimits(
  tx: Queries,
  { assistantId, userId, visitor, isTest }: CallParties & { assistantId: number },
  limits: WebCallLimits,
): Promise<void> {
  const isTestCall = sql`(${conversations.type} = 'test' AND NOT ${conversations.isPreview})`;
  const [open] = await tx
    .select({ calls: count() })
    .from(calls)
    .innerJoin(conversations, eq(conversations.id, calls.conversationId))
    .where(
      and(
        eq(calls.assistantId, assistantId),
        eq(calls.type, 'web'),
        inArray(calls.status, openCallStatuses),
        eq(isTestCall, isTest),
      ),
    );
  const maxCalls = isTest ? Math.min(maxTestCalls, limits.perAssistant) : limits.perAssistant;
  if ((open?.calls ?? 0) >= maxCalls) throw limitReached('perAssistant');
  if ((await usedMinutes(tx, userId, visitor)) >= limits.visitorMinutes) throw limitReached('visitorMinutes');
  const pool = isTest ? 'testMinutes' : 'ownerMinutes';
  if ((await usedMinutes(tx, userId, pools[pool])) >= limits[pool]) throw limitReached(pool);
}

/** Names of the counts that the calls of an owner share, beside those of visitors' addresses. */
const pools = { ownerMinutes: '', testMinutes: 'test' } as const;

async function usedMinutes(tx: Queries, userId: number, visitor: string): Promise<number> {
  const [used] = await tx
    .select({ minutes: webCallMinutes.minutes })
    .from(webCallMinutes)
    .where(
      and(
        eq(webCallMinutes.userId, userId),
        eq(webCallMinutes.day, today),
        eq(webCallMinutes.visitor, visitor),
      ),
    );
  return used?.minutes ?? 0;
}

/**
 * Counts a started minute, in the transaction that charges for it.
 *
 * @returns false if a limit is used up; the transaction then has to be rolled back.
 */
export async function countWebCallMinute(
  tx: Queries,
  { userId, visitor, isTest }: CallParties,
  limits: WebCallLimits,
): Promise<boolean> {
  const pool = isTest ? 'testMinutes' : 'ownerMinutes';
  const isCounted = await addMinute(tx, { userId, visitor }, limits.visitorMinutes);
  return isCounted && addMinute(tx, { userId, visitor: pools[pool] }, limits[pool]);
}

async function addMinute(
  tx: Queries,
  row: { userId: number; visitor: string },
  max: number,
): Promise<boolean> {
  if (max < 1) return false;
  const counted = await tx
    .insert(webCallMinutes)
    .values({ ...row, day: today, minutes: 1 })
    .onConflictDoUpdate({
      target: [webCallMinutes.userId, webCallMinutes.day, webCallMinutes.visitor],
      set: { minutes: sql`${webCallMinutes.minutes} + 1` },
      ...(max !== Infinity && { setWhere: sql`${webCallMinutes.minutes} < ${max}::integer` }),
    })
    .returning({ minutes: webCallMinutes.minutes });
  return counted.length > 0;
}
