import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { openCallStatuses } from '../../../contract/call.ts';
import { isPhoneNumber } from '../../../contract/request-fields.ts';
import { affordableCalls, readCallBalance } from '../../billing/call-balance.ts';
import { countStartedCalls, readFreeCalls } from '../../billing/call-limits.ts';
import type { CallLimits } from '../../billing/call-limits.ts';
import { callMinutePrice } from '../../billing/prices.ts';
import { isBlocked } from '../../campaign/blocked-number.ts';
import type { Admission, IncomingCall } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import type { Database, Queries } from '../../db/database.ts';
import { phoneNumbers } from '../../db/phone-numbers-table.ts';
import { assistants } from '../../db/schema.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { newSecret } from '../../lib/new-secret.ts';
import { planLine } from './plan-line.ts';
import { allowConnection } from '../connection/allow-connection.ts';

/** The parts of the service that admit calls. */
export interface AdmissionDependencies {
  database: Database;
  jobs: Jobs;
  limits: CallLimits;
  log: Logger;
}

/** Why a call is refused. `call-ended` means that the carrier asked again about an ended call. */
export type RefusalReason =
  | 'no-number'
  | 'no-assistant'
  | 'blocked'
  | 'balance'
  | 'spending-limit'
  | 'calls-in-parallel'
  | 'calls-per-day'
  | 'call-ended';

/** Time within which the carrier connects an accepted call, in milliseconds. */
const connectMs = 60_000;

/** Callers hear a busy line if a later call may succeed. */
const answers = {
  'no-number': 'rejected',
  'no-assistant': 'rejected',
  blocked: 'rejected',
  balance: 'busy',
  'spending-limit': 'busy',
  'calls-in-parallel': 'busy',
  'calls-per-day': 'busy',
  'call-ended': 'rejected',
} as const satisfies Record<RefusalReason, 'busy' | 'rejected'>;

/** An admission with the reason of a refusal. */
export type ExplainedAdmission = Admission & { refusalReason?: RefusalReason };

/**
 * Finds the assistant of a called number and stores the call. If the carrier asks again, possibly in another process,
 * the answer is the same.
 *
 * A call that is refused because of the balance or a limit is stored with the status `busy`, and the webhook after the
 * call is sent. Other refused calls are only logged: the caller is blocked, or the number has no assistant.
 */
export async function admitCall(
  dependencies: AdmissionDependencies,
  call: IncomingCall,
): Promise<ExplainedAdmission> {
  const admission = await admit(dependencies, call);
  if (admission.type === 'refuse') {
    dependencies.log.warn({ number: call.to, reason: admission.refusalReason }, 'refused an inbound call');
  }
  return admission;
}

async function admit(dependencies: AdmissionDependencies, call: IncomingCall): Promise<ExplainedAdmission> {
  const { db } = dependencies.database;
  const found = await findAssistant(db, call.to);
  if (found === undefined) return refuse('no-number');
  return db.transaction(async (tx) => {
    // Locks the owner's row, so that concurrent requests about a call are handled one after the other.
    const { free, limit } = await readFreeCalls(tx, found.userId, dependencies.limits);
    const earlier = await readAdmission(tx, call.carrierCallId);
    if (earlier) return earlier;
    if (found.assistant === null) return refuse('no-assistant');
    // Withheld and invalid numbers are stored as empty.
    const from = isPhoneNumber(call.from) ? call.from : '';
    if (from !== '' && (await isBlocked(tx, found.userId, from))) return refuse('blocked');
    const { available, isLimited } = await readCallBalance(tx, found.userId);
    const isAffordable = affordableCalls(available, callMinutePrice(found.assistant.mode)) > 0;
    const refusalReason: RefusalReason | undefined =
      free === 0
        ? limit === 'perDay'
          ? 'calls-per-day'
          : 'calls-in-parallel'
        : isAffordable
          ? undefined
          : isLimited
            ? 'spending-limit'
            : 'balance';
    const tokens = { token: newSecret(), connectToken: newSecret() };
    const [stored] = await tx
      .insert(calls)
      .values({
        userId: found.userId,
        assistantId: found.assistant.id,
        assistantName: found.assistant.name,
        type: 'inbound',
        assistantPhoneNumber: call.to,
        clientPhoneNumber: from,
        inputVariables: found.assistant.variables,
        carrierCallId: call.carrierCallId,
        ...tokens,
        leaseUntil: leaseEnd(connectMs),
        // Not now(): the transaction may have waited for a lock.
        createdAt: sql`clock_timestamp()`,
        ...(refusalReason !== undefined && {
          status: 'busy' as const,
          endReason: refusalReason,
          endedAt: sql`now()`,
        }),
      })
      .returning({ id: calls.id });
    if (!stored) throw new Error('The call was not stored.');
    if (refusalReason !== undefined) {
      await dependencies.jobs.send('call-ended', { callId: stored.id }, { tx });
      return refuse(refusalReason);
    }
    await countStartedCalls(tx, found.userId, 1);
    return {
      type: 'accept',
      plan: { ...(await planLine(tx, stored.id, found.assistant)), ...tokens },
    };
  });
}

const refuse = (refusalReason: RefusalReason): ExplainedAdmission => ({
  type: 'refuse',
  reason: answers[refusalReason],
  refusalReason,
});

/** Finds the owner of a number, and the active inbound assistant that has it. Caller IDs cannot be called. */
async function findAssistant(queries: Queries, phoneNumber: string) {
  const [found] = await queries
    .select({ userId: phoneNumbers.userId, assistant: assistants })
    .from(phoneNumbers)
    .leftJoin(
      assistants,
      and(
        eq(assistants.phoneNumberId, phoneNumbers.id),
        eq(assistants.type, 'inbound'),
        eq(assistants.status, 'active'),
        isNull(assistants.deletedAt),
      ),
    )
    .where(
      and(
        eq(phoneNumbers.phoneNumber, phoneNumber),
        ne(phoneNumbers.type, 'caller_id'),
        eq(phoneNumbers.isPending, false),
        or(isNull(phoneNumbers.releaseAt), gt(phoneNumbers.releaseAt, sql`now()`)),
      ),
    )
    .orderBy(asc(assistants.id))
    .limit(1);
  return found;
}

/** Returns the earlier admission of a call, if any. */
async function readAdmission(tx: Queries, carrierCallId: string): Promise<ExplainedAdmission | undefined> {
  const [found] = await tx
    .select({
      id: calls.id,
      token: calls.token,
      isOpen: sql<boolean>`${inArray(calls.status, openCallStatuses)}`,
      endReason: calls.endReason,
      assistant: assistants,
    })
    .from(calls)
    .leftJoin(assistants, eq(assistants.id, calls.assistantId))
    .where(eq(calls.carrierCallId, carrierCallId));
  if (!found) return undefined;
  const { isOpen, id, token, assistant, endReason } = found;
  if (isOpen && token !== null && assistant) {
    const line = await planLine(tx, id, assistant);
    return { type: 'accept', plan: { ...line, token, connectToken: await allowConnection(tx, id) } };
  }
  const reasons: readonly string[] = Object.keys(answers);
  return refuse(
    endReason !== null && reasons.includes(endReason) ? (endReason as RefusalReason) : 'call-ended',
  );
}
