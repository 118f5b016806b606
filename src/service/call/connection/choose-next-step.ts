import { and, eq, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../../contract/call.ts';
import type { CallRules } from '../../billing/call-limits.ts';
import type { CallHandler, NextStep } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import { numberProblem } from '../../lib/callable-number.ts';
import { leaseEnd } from '../../lib/lease.ts';
import type { EndCallDependencies, EndedCall } from '../outcome/end-call.ts';
import { readKeyedCall } from '../outcome/handle-report.ts';
import { planConversation } from '../start/plan-call.ts';
import { planLine } from '../start/plan-line.ts';
import { allowConnection, reconnectSeconds } from './allow-connection.ts';
import { isOpen } from '../is-open.ts';
import { transferRinging } from '../transfer/charge-transfer.ts';

export interface NextStepDependencies extends EndCallDependencies {
  rules: CallRules;
  /** Repeats a change during an outage of the database. */
  retry: (change: () => Promise<unknown>) => Promise<unknown>;
  /** Ends a call as soon as the database is available. */
  endCall: (callId: number, result: EndedCall) => Promise<void>;
}

const hangUp: NextStep = { type: 'hang-up' };

/** Maximum number of consecutive lost connections; one more fails the call. */
const maxLostConnections = 2;

/** Decides the carrier's next step after a line has ended: see {@link CallHandler.onDisconnected}. */
export async function chooseNextStep(
  dependencies: NextStepDependencies,
  { cause, ...key }: Parameters<CallHandler['onDisconnected']>[0],
): Promise<NextStep> {
  const { database, rules } = dependencies;
  const call = await readKeyedCall(dependencies, key);
  const isOver = !(openCallStatuses as readonly string[]).includes(call.status);
  if (isOver || call.carrierSeconds !== null) return hangUp;
  if (cause === 'transferred') {
    // The carrier's report of the end has the duration. Without one, the call is completed when this lease expires.
    await dependencies.retry(() =>
      database.db
        .update(calls)
        .set({
          isTransferAnswered: true,
          leaseUntil: sql`least(${calls.leaseUntil}, ${leaseEnd(reconnectSeconds * 1000)})`,
        })
        .where(and(eq(calls.id, call.id), isOpen)),
    );
    return hangUp;
  }
  if (cause === 'lost' && call.lostConnections >= maxLostConnections) {
    await dependencies.endCall(call.id, { status: 'failed', reason: 'no-connection' });
    return hangUp;
  }
  const plan = await planConversation(database.db, call);
  if (!plan) {
    await dependencies.endCall(call.id, { status: 'failed', reason: 'no-assistant' });
    return hangUp;
  }
  const { assistant } = plan.callContext;
  const left = assistant.maxDuration - call.duration;
  if (left <= 0) {
    await dependencies.endCall(call.id, { status: 'completed', reason: 'max-duration' });
    return hangUp;
  }
  const { transferTo: to } = call;
  // Without a pending connection, the line was lost before the carrier could be asked for the transfer.
  const isTransfer = cause === 'left' || (cause === 'lost' && call.connectToken === null);
  if (isTransfer && to !== null && numberProblem(to, rules.countries) === undefined) {
    const callerId = call.clientPhoneNumber;
    return { type: 'transfer', to, callerId, ringingTime: transferRinging, maxDuration: left };
  }
  const line = await planLine(database.db, call.id, assistant);
  const connectToken = await allowConnection(database.db, call.id, { wasLost: cause === 'lost' });
  return { type: 'connect', plan: { ...line, token: key.token, connectToken } };
}
