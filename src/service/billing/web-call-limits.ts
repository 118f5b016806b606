import { and, count, eq, inArray, not, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { webCallErrorTexts } from '../../contract/web-call.ts';
import { calls, webCallMinutes } from '../db/calls-table.ts';
import { conversations } from '../db/schema.ts';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { networkUsageFactor } from '../lib/visitor-addresses.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';

/** The operator's limits of web calls. Assistants can have lower ones. `Infinity` is no limit; days are in UTC. */
export interface WebCallLimits {
  /** Calls of one assistant at the same time. */
  perAssistant: number;
  /** Started minutes a day from one block of addresses, with all assistants of an owner; a network has four times as many. */
  visitorMinutes: number;
  /** Started minutes a day of all calls of an owner. */
  ownerMinutes: number;
  /** Those of them that anybody can make for free. They do not count as minutes of the owner. */
  testMinutes: number;
}

/** An owner's limits of the web calls of one assistant. Null is the operator's limit. */
export interface AssistantWebCallLimits {
  maxConcurrentWebCalls: number | null;
  /** Started minutes a day from one block of addresses, with all assistants of the owner. */
  maxVisitorWebCallMinutesPerDay: number | null;
  /** Started minutes a day of all calls of this assistant, except those that anybody can make for free. */
  maxWebCallMinutesPerDay: number | null;
}

/** The limits of a call: the lower one of the operator and of the assistant. */
type EffectiveLimits = WebCallLimits & { assistantMinutes: number };

const effectiveLimits = (operator: WebCallLimits, assistant: AssistantWebCallLimits): EffectiveLimits => ({
  ...operator,
  perAssistant: Math.min(operator.perAssistant, assistant.maxConcurrentWebCalls ?? Infinity),
  visitorMinutes: Math.min(operator.visitorMinutes, assistant.maxVisitorWebCallMinutesPerDay ?? Infinity),
  assistantMinutes: assistant.maxWebCallMinutesPerDay ?? Infinity,
});

/** Maximum number of free calls of one assistant at the same time. They do not count as calls of visitors. */
const maxTestCalls = 2;

/** The visitor and the assistant of a web call. */
export interface CallParties {
  userId: number;
  assistant: AssistantWebCallLimits & { id: number };
  visitor: VisitorAddresses;
  /** Whether anybody can make this call for free: it is a test without a preview token. */
  isTest: boolean;
}

const limitTexts = {
  perAssistant: 'Too many visitors are calling this assistant at the moment.',
  visitorMinutes: 'No more minutes are left for this visitor today.',
  assistantMinutes: 'No more minutes are left for this assistant today.',
  ownerMinutes: 'No more minutes are left for this assistant today.',
  testMinutes: 'No more minutes are left for tests today. A preview token lifts this limit.',
} as const satisfies Record<keyof EffectiveLimits, string>;

const limitReached = (limit: keyof EffectiveLimits) =>
  new Refusal(429, { status: false, error: `${webCallErrorTexts.limitReached} ${limitTexts[limit]}` });

/**
 * Checks whether a call may begin. The owner's row must be locked, so that concurrent calls do not exceed the limits.
 *
 * @throws Refusal
 */
export async function checkWebCallLimits(
  tx: Queries,
  parties: CallParties,
  operatorLimits: WebCallLimits,
): Promise<void> {
  const { userId, assistant, isTest } = parties;
  const limits = effectiveLimits(operatorLimits, assistant);
  const isTestCall = sql`(${conversations.type} = 'test' AND NOT ${conversations.isPreview})`;
  const [open] = await tx
    .select({ calls: count() })
    .from(calls)
    .innerJoin(conversations, eq(conversations.id, calls.conversationId))
    .where(
      and(
        eq(calls.assistantId, assistant.id),
        eq(calls.type, 'web'),
        inArray(calls.status, openCallStatuses),
        // After a hang-up, only a tool may still run.
        not(calls.hangUpRequested),
        eq(isTestCall, isTest),
      ),
    );
  const maxCalls = isTest ? Math.min(maxTestCalls, limits.perAssistant) : limits.perAssistant;
  if ((open?.calls ?? 0) >= maxCalls) throw limitReached('perAssistant');
  for (const { limit, counter, factor = 1 } of countersOf(parties)) {
    if ((await usedMinutes(tx, userId, counter)) >= limits[limit] * factor) throw limitReached(limit);
  }
}

/** A counter of minutes and its limit. */
interface Counter {
  limit: Exclude<keyof EffectiveLimits, 'perAssistant'>;
  counter: string;
  /** How many times the limit it may reach; 1 by default. */
  factor?: number;
}

/** The counters of a call's minutes, always in the same order, so that concurrent calls do not deadlock. */
function countersOf({ assistant, visitor, isTest }: CallParties): Counter[] {
  const { addressBlock, addressNetwork } = visitor;
  const ofVisitor: Counter[] = [{ limit: 'visitorMinutes', counter: addressBlock }];
  if (addressNetwork !== undefined)
    ofVisitor.push({ limit: 'visitorMinutes', counter: addressNetwork, factor: networkUsageFactor });
  if (isTest) return [...ofVisitor, { limit: 'testMinutes', counter: 'test' }];
  return [
    ...ofVisitor,
    { limit: 'assistantMinutes', counter: `assistant ${assistant.id}` },
    { limit: 'ownerMinutes', counter: '' },
  ];
}

async function usedMinutes(tx: Queries, userId: number, counter: string): Promise<number> {
  const [used] = await tx
    .select({ minutes: webCallMinutes.minutes })
    .from(webCallMinutes)
    .where(
      and(
        eq(webCallMinutes.userId, userId),
        eq(webCallMinutes.day, today),
        eq(webCallMinutes.visitor, counter),
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
  parties: CallParties,
  operatorLimits: WebCallLimits,
): Promise<boolean> {
  const limits = effectiveLimits(operatorLimits, parties.assistant);
  for (const { limit, counter, factor = 1 } of countersOf(parties)) {
    const row = { userId: parties.userId, visitor: counter };
    if (!(await addMinute(tx, row, limits[limit] * factor))) return false;
  }
  return true;
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
