import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { Owner } from '../../support/records/owner.ts';
import { newDatabase, readMoney, startService } from '../../support/service/service.ts';
import { callTo, waitFor, waitForCall } from '../../support/records/simulated-numbers.ts';

const env = { ...(await newDatabase()), WORKERS: 'on', CARRIER_SECONDS: '0.01' };

test('finishes running calls on a stop, hangs up after SHUTDOWN_SECONDS, and leaves waiting calls to the next process', async () => {
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
  await waitFor('an answer', async () =>
    /^in-progress|completed$/.test(String(await statusOf(second, finished))) ? true : undefined,
  );
  await graceful.running.close();

  const immediate = await startService({ ...env, SHUTDOWN_SECONDS: '0', CARRIER_SECONDS: '1' });
  const third = first.at(immediate);
  assert.equal(await statusOf(third, finished), 'completed');
  const interrupted = await make(third);
  const paid = { balance: 0.8, ledger: 0.8 };
  assert.deepEqual(await readMoney(immediate, first.id), paid);
  await waitFor('a charged minute', async () =>
    (await readMoney(immediate, first.id)).balance < 0.8 ? true : undefined,
  );
  const deleted = await make(third);
  await waitFor('another call', async () =>
    (await statusOf(third, deleted)) === 'ringing' ? true : undefined,
  );
  assert.equal((await third.delete(`calls/${deleted}`)).status, 200);
  await immediate.running.close();

  const last = await startService({ ...env, WORKERS: 'off' });
  const call = await waitForCall(first.at(last), interrupted);
  assert.deepEqual([call['status'], call['total_cost']], ['failed', 0]);
  assert.match(String(call['transcript']), /^(AI: |$)/);
  assert.deepEqual(await readMoney(last, first.id), paid);
});
