import { and, eq, isNull } from 'drizzle-orm';
import { errorTexts } from '../../../contract/error-texts.ts';
import type { MakeCallRequest } from '../../../contract/call.ts';
import { e164Rule, isPhoneNumber } from '../../../contract/request-fields.ts';
import { affordableCalls, readCallBalance } from '../../billing/call-balance.ts';
import { callMinutePrice } from '../../billing/prices.ts';
import { isBlocked } from '../../campaign/blocked-number.ts';
import { calls } from '../../db/calls-table.ts';
import type { Database } from '../../db/database.ts';
import { phoneNumbers } from '../../db/phone-numbers-table.ts';
import { assistants } from '../../db/schema.ts';
import { Refusal } from '../../lib/refusal.ts';
import { claimKey, recordOutcome } from '../../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { countStartedCalls, describeLimit, readFreeCalls } from '../../billing/call-limits.ts';
import type { CallRules } from '../../billing/call-limits.ts';
import { numberProblem } from '../../lib/callable-number.ts';

/**
 * Stores an outbound call, which a background job then dials (interface: `POST /user/make_call`). No lead is created,
 * since a lead belongs to a campaign: the variables "passed to the lead" are stored with the call and override the
 * assistant's.
 *
 * @param keyed the idempotency key of the request, if any.
 * @returns the id of the call, and whether an earlier request with the same key made it.
 * @throws Refusal if the number is invalid, blocked or not allowed, the assistant does not exist or is not outbound,
 *   the account has reached its limits, or the available balance does not cover a minute.
 */
export async function makeCall(
  { database, jobs, rules }: { database: Database; jobs: Jobs; rules: CallRules },
  userId: number,
  given: MakeCallRequest,
  keyed?: KeyedRequest,
): Promise<{ id: number; isRepeat: boolean }> {
  const { phone_number: number } = given;
  checkNumber(number);
  return database.db.transaction(async (tx) => {
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return { id: earlier.callId ?? notFound(), isRepeat: true };
    const [found] = await tx
      .select({ assistant: assistants, from: phoneNumbers.phoneNumber })
      .from(assistants)
      .leftJoin(phoneNumbers, eq(phoneNumbers.id, assistants.phoneNumberId))
      .where(
        and(
          eq(assistants.id, given.assistant_id),
          eq(assistants.userId, userId),
          isNull(assistants.deletedAt),
        ),
      );
    if (!found) throw Refusal.notFound('Assistant');
    const { assistant, from } = found;
    if (assistant.type !== 'outbound') {
      throw Refusal.invalidField('assistant_id', 'The assistant id field must be an outbound assistant.');
    }
    if (await isBlocked(tx, userId, number)) {
      throw Refusal.invalidField(
        'phone_number',
        'This number is blocked: its owner asked not to be called again.',
      );
    }
    const problem = numberProblem(number, rules.countries);
    if (problem !== undefined) throw Refusal.invalidField('phone_number', problem);
    const { free, limit } = await readFreeCalls(tx, userId, rules);
    if (free === 0) {
      const reached = limit === 'perDay' ? `${errorTexts['limit-reached']} ` : '';
      throw new Refusal(422, { message: `${reached}${describeLimit(limit, rules)}` });
    }
    const { available, isLimited } = await readCallBalance(tx, userId);
    if (affordableCalls(available, callMinutePrice(assistant.mode)) === 0) {
      throw new Refusal(422, { message: errorTexts[isLimited ? 'limit-reached' : 'insufficient-balance'] });
    }
    const [stored] = await tx
      .insert(calls)
      .values({
        userId,
        assistantId: assistant.id,
        assistantName: assistant.name,
        type: 'outbound',
        assistantPhoneNumber: from ?? '',
        clientPhoneNumber: number,
        inputVariables: { ...assistant.variables, ...given.variables },
      })
      .returning({ id: calls.id });
    if (!stored) throw new Error('The call was not stored.');
    await countStartedCalls(tx, userId, 1);
    if (keyed) await recordOutcome(tx, keyed, { callId: stored.id });
    await jobs.send('place-call', { callId: stored.id, userId }, { tx });
    return { id: stored.id, isRepeat: false };
  });
}

/** @throws Refusal if the number is not in E.164 format. */
function checkNumber(number: string): void {
  if (!isPhoneNumber(number)) throw new Refusal(400, { message: `The phone number ${e164Rule}` });
}

/** The call of an earlier request with this key was deleted; it is not made again. */
function notFound(): never {
  throw Refusal.notFound('Call');
}
