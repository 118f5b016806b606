import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallHandler, OutgoingCall } from '../../../src/service/carrier/carrier.ts';
import { SimulatedCarrier } from '../../../src/service/carrier/simulated-carrier.ts';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { Owner } from '../../support/records/owner.ts';
import { newDatabase, readMoney, startService } from '../../support/service/service.ts';
import { callTo, waitForCall } from '../../support/records/simulated-numbers.ts';
import { eventually } from '../../support/eventually.ts';

const env = { ...(await newDatabase()), WORKERS: 'on', CARRIER_SECONDS: '0.01' };

test('completes active calls at shutdown, ends them after SHUTDOWN_SECONDS, and leaves queued calls to the next process', async () => {
  const withoutWorkers = await startService({ ...env, WORKERS: 'off' });
  const first = await Owner.create(withoutWorkers, '1');
  const assistant = await first.create('assistant', assistantBody());
  const make = async (owner: Owner) => {
    const { json } = await owner.post('make_call', {
      phone_number: callTo.person,
      assistant_id: assistant.id,
    });
    return Number(json['call_id']);
  };
  const statusOf = async (owner: Owner, id: number) => (await owner.get(`calls/${id}`)).json['status'];
  const waiting = await make(first);
  assert.equal(await statusOf(first, waiting), 'initiated');
  await withoutWorkers.running.close();

  const graceful = await startService(env);
  const second = first.at(graceful);
  assert.equal((await waitForCall(second, waiting))['status'], 'completed');
  const finished = await make(second);
  await eventually('an answer', async () =>
    /^in-progress|completed$/.test(String(await statusOf(second, finished))) ? true : undefined,
  );
  await graceful.running.close();

  const immediate = await startService({ ...env, SHUTDOWN_SECONDS: '0', CARRIER_SECONDS: '1' });
  const third = first.at(immediate);
  assert.equal(await statusOf(third, finished), 'completed');
  const interrupted = await make(third);
  const paid = { balance: 0.8, ledger: 0.8 };
  assert.deepEqual(await readMoney(immediate, first.id), paid);
  await eventually('a charged minute', async () =>
    (await readMoney(immediate, first.id)).balance < 0.8 ? true : undefined,
  );
  const deleted = await make(third);
  await eventually('another call', async () =>
    (await statusOf(third, deleted)) === 'ringing' ? true : undefined,
  );
  assert.equal((await third.delete(`calls/${deleted}`)).status, 200);
  await immediate.running.close();

  const last = await startService({ ...env, WORKERS: 'off' });
  const call = await waitForCall(first.at(last), interrupted);
  assert.deepEqual(
    [call['status'], call['end_reason'], call['total_cost']],
    ['failed', 'service-stopped', 0],
  );
  assert.match(String(call['transcript']), /^(AI: |$)/);
  assert.deepEqual(await readMoney(last, first.id), paid);
});

/** A carrier that stops the service while a call begins: when it is dialed, or when it comes in. */
class StoppingCarrier extends SimulatedCarrier {
  stop: () => void = () => undefined;

  constructor() {
    const outcomes = { human: 1, machine: 0, 'no-answer': 0, busy: 0, failed: 0 };
    super({
      ...{ outcomes, secondMs: 10 },
      wait: (seconds, signal) => delay(seconds * 10, undefined, signal && { signal }),
    });
  }

  override open(handler: CallHandler): void {
    super.open({
      planOf: (key) => handler.planOf(key),
      onConnected: (...connected) => handler.onConnected(...connected),
      onReport: (report) => handler.onReport(report),
      onDisconnected: (disconnected) => handler.onDisconnected(disconnected),
      onIncoming: (call) => {
        const admission = handler.onIncoming(call);
        this.stop();
        return admission;
      },
    });
  }

  override dial(call: OutgoingCall): Promise<string> {
    this.stop();
    return super.dial(call);
  }
}

test('completes calls that are being dialed or received when a shutdown begins', async () => {
  const other = { ...(await newDatabase()), CARRIER_SECONDS: '0.01' };
  const before = await startService({ ...other, WORKERS: 'on' });
  const owner = await Owner.create(before, '5');
  const { json } = await owner.get('phone-numbers/search?country_code=DE');
  const number = String((json['data'] as Record<string, unknown>[])[0]?.['phone_number']);
  const { id: numberId } = await owner.create('phone-numbers/purchase', { phone_number: number });
  const outbound = await owner.create('assistant', assistantBody());
  const inbound = await owner.create(
    'assistant',
    assistantBody({ type: 'inbound', phone_number_id: numberId }),
  );
  assert.equal((await owner.put(`assistant/${inbound.id}`, { status: 'active' })).status, 200);
  await before.running.close();

  const begin = {
    outbound: async (at: Owner) => {
      await at.post('make_call', { phone_number: callTo.person, assistant_id: outbound.id });
    },
    inbound: (_at: Owner, carrier: SimulatedCarrier) =>
      carrier.ring({ carrierCallId: 'in', from: callTo.person, to: number }),
  };
  for (const [type, call] of Object.entries(begin)) {
    const carrier = new StoppingCarrier();
    const service = await startService({ ...other, WORKERS: 'on', SHUTDOWN_SECONDS: '30' }, { carrier });
    const closed = Promise.withResolvers<unknown>();
    carrier.stop = () => {
      closed.resolve(service.running.close());
    };
    await call(owner.at(service), carrier);
    await closed.promise;
    const after = await startService({ ...other, WORKERS: 'off' });
    const calls = (await owner.at(after).get('calls')).json['data'] as Record<string, unknown>[];
    const { status } = calls.find((found) => found['type'] === type) ?? {};
    assert.equal(status, 'completed', `the ${type} call`);
    await after.running.close();
  }
});
