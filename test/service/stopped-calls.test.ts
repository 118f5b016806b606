import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, readMoney, startService } from '../support/service/service.ts';
import { callTo, waitFor, waitForCall } from '../support/records/simulated-numbers.ts';

const env = { ...(await newDatabase()), WORKERS: 'on', CARRIER_SECONDS: '0.01' };

test('a call outlasts the service: who may wait finishes it, who may not hangs up, and what waits is made by the next', async () => {
  const answering = await startService({ ...env, WORKERS: 'off' });
  const first = await Owner.create(answering, '1');
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
  await answering.running.close();

  const patient = await startService(env);
  const second = first.at(patient);
  assert.equal((await waitForCall(second, waiting))['status'], 'completed');
  const finished = await make(second);
  await waitFor('an answer', async () =>
    /^in-progress|completed$/.test(String(await statusOf(second, finished))) ? true : undefined,
  );
  await patient.running.close();

  const hasty = await startService({ ...env, SHUTDOWN_SECONDS: '0', CARRIER_SECONDS: '1' });
  const third = first.at(hasty);
  assert.equal(await statusOf(third, finished), 'completed');
  const cut = await make(third);
  const paid = { balance: 0.8, ledger: 0.8 };
  assert.deepEqual(await readMoney(hasty, first.id), paid);
  await waitFor('a paid minute', async () =>
    (await readMoney(hasty, first.id)).balance < 0.8 ? true : undefined,
  );
  const deleted = await make(third);
  await waitFor('another call', async () =>
    (await statusOf(third, deleted)) === 'ringing' ? true : undefined,
  );
  assert.equal((await third.delete(`calls/${deleted}`)).status, 200);
  await hasty.running.close();

  const last = await startService({ ...env, WORKERS: 'off' });
  const call = await waitForCall(first.at(last), cut);
  assert.deepEqual([call['status'], call['total_cost']], ['failed', 0]);
  assert.match(String(call['transcript']), /^(AI: |$)/);
  assert.deepEqual(await readMoney(last, first.id), paid);
});
