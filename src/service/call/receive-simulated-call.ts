import type { SimulatedCarrier } from '../carrier/simulated-carrier.ts';
import type { IncomingCall } from '../carrier/telephony.ts';
import { admitCall } from './admit-call.ts';
import type { AdmissionParts } from './admit-call.ts';
import type { CallRunner } from './call-runner.ts';

/** The parts of the service that receive simulated calls. */
export interface SimulatedCallParts extends AdmissionParts {
  calls: CallRunner;
  carrier: SimulatedCarrier;
}

/** Has a simulated customer call a number. Resolves when the call is connected or refused. Can be repeated. */
export async function receiveSimulatedCall(parts: SimulatedCallParts, call: IncomingCall): Promise<void> {
  const admission = await admitCall(parts, call);
  if (admission.type === 'refuse') return;
  const { callId, speech } = admission.plan;
  await parts.calls.start(callId, parts.carrier.ring(call.from, speech));
}
