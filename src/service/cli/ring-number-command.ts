import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { phoneNumber } from '../../contract/request-fields.ts';
import { admitCall } from '../call/start/admit-call.ts';
import type { RefusalReason } from '../call/start/admit-call.ts';
import { endCall } from '../call/outcome/end-call.ts';
import { calls } from '../db/calls-table.ts';
import { StoredJobs } from '../jobs/jobs.ts';
import { createLog } from '../log.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandContext, CommandOutput, CommandValues } from './command.ts';

const reasons: Record<RefusalReason, string> = {
  'no-number': 'No account has this number. Add one with "numbers add", or buy one over the HTTP interface.',
  'no-assistant':
    'No active inbound assistant has this number. Set phone_number_id and "status": "active" of one: PUT /api/user/assistant/{id}.',
  blocked: 'The owner of the number has blocked the caller.',
  balance: "The owner's balance does not cover a minute.",
  'spending-limit': "The owner's daily spending limit does not cover a minute.",
  'calls-in-parallel': 'The owner has as many calls as MAX_CALLS_IN_PARALLEL allows.',
  'calls-per-day': 'The owner has had as many calls today as MAX_CALLS_PER_DAY allows.',
  'call-ended': 'The call has ended.',
};

/** Seconds within which a service must connect the call. */
const connectSeconds = 30;

export const ringNumberCommand: Command = {
  name: 'numbers ring',
  summary: 'Has a simulated customer call a number, and prints what is said. A service must be running.',
  options: {
    number: { value: 'number', description: 'the number to call, in E.164 format', required: true },
    from: {
      value: 'number',
      description: "the customer's number, whose digits decide how they behave; withheld by default",
    },
  },
  async run(context, values) {
    const { twilio, asterisk } = context.config.carrier;
    if (twilio !== undefined || asterisk !== undefined) {
      throw new CommandError('Only a simulated carrier can ring a number. Call it with a telephone instead.');
    }
    return values['call'] === undefined ? start(context, values) : follow(context, values);
  },
};

async function start({ config, database }: CommandContext, values: CommandValues): Promise<CommandOutput> {
  const to = readNumber(values['number'] ?? '');
  const from = values['from'] === undefined ? '' : readNumber(values['from']);
  const call = { carrierCallId: `simulated-${randomUUID()}`, from, to };
  const jobs = new StoredJobs(database);
  const log = createLog('silent');
  const admission = await admitCall({ database, jobs, limits: config.calls, log }, call);
  if (admission.type === 'refuse') {
    const signal = admission.reason === 'busy' ? 'The line is busy' : 'The call was rejected';
    throw new CommandError(`${signal}: ${reasons[admission.refusalReason ?? 'call-ended']}`);
  }
  await jobs.send('ring-number', call);
  const { callId } = admission.plan;
  return {
    lines: [`Calling ${to} (call ${String(callId)}).`],
    data: { id: callId },
    next: { ...values, call: String(callId), printed: '0' },
  };
}

function readNumber(given: string): string {
  const { data } = phoneNumber().safeParse(given);
  if (data !== undefined) return data;
  throw new UsageError(`"${given}" is not a phone number in E.164 format, such as +4930123456.`);
}

/** Prints what has been said since the last time, and the result at the end. */
async function follow({ database }: CommandContext, values: CommandValues): Promise<CommandOutput> {
  const id = Number(values['call']);
  const [call] = await database.db
    .select({
      status: calls.status,
      endReason: calls.endReason,
      duration: calls.duration,
      totalCost: calls.totalCost,
      messages: calls.messages,
      isLate: sql<boolean>`${calls.leaseOwner} IS NULL
        AND ${calls.createdAt} < now() - interval '1 second' * ${connectSeconds}::integer`,
    })
    .from(calls)
    .where(eq(calls.id, id));
  if (!call) throw new CommandError('The record of the call was deleted.');
  const { status, endReason, duration, totalCost } = call;
  const printed = Number(values['printed']);
  const lines = call.messages
    .slice(printed)
    .map(({ role, content }) => `${role === 'assistant' ? 'Assistant' : 'Customer'}: ${content}`);
  if (openCallStatuses.some((open) => open === status)) {
    if (status === 'initiated' && call.isLate) await giveUp(database, id);
    return { lines, data: { id }, next: { ...values, printed: String(printed + lines.length) } };
  }
  if (endReason === 'not-connected') {
    throw new CommandError('No service took the call. Start one that runs background jobs (WORKERS=on).');
  }
  return {
    lines: [
      ...lines,
      `The call has ended: ${status} (${String(endReason)}), ${String(duration)} s, ${totalCost.toFixed(2)} USD.`,
    ],
    data: { id, status, end_reason: endReason, duration, total_cost: totalCost },
  };
}

async function giveUp(database: CommandContext['database'], id: number): Promise<void> {
  const jobs = new StoredJobs(database);
  const isUnconnected = and(eq(calls.id, id), eq(calls.status, 'initiated'), isNull(calls.leaseOwner));
  await endCall({ database, jobs }, isUnconnected, { status: 'failed', reason: 'not-connected' });
}
