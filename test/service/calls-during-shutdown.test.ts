import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startPhoneService } from '../support/calls/phone-service.ts';

it('refuses new calls during a shutdown, and waits for dialed calls, even if they are answered later', async () => {
  const { model, carrier, service, pool, place, connect } = await startPhoneService();
  model.behave({});
  const held = await connect();
  await held.line.hears();
  const ringing = await place();
  await ringing.report({ type: 'ringing' });

  let isStopped = false;
  const stopped = service.running.close().then(() => {
    isStopped = true;
  });
  const incoming = { carrierCallId: 'incoming', from: '+4915112345678', to: '+4930123456' };
  assert.deepEqual(await carrier.handler.onIncoming(incoming), { type: 'refuse', reason: 'busy' });

  const late = ringing.connect();
  await late.line.hears();
  held.line.hangsUp();
  await held.over;
  late.line.says('Are you still there?');
  assert.equal(await late.line.hears(), 'You said: Are you still there?');
  const { rows } = await pool.query('SELECT status FROM calls ORDER BY id');
  assert.deepEqual(rows, [{ status: 'ended_by_customer' }, { status: 'in-progress' }]);
  assert.equal(isStopped, false);
  late.line.hangsUp();
  await late.over;
  assert.deepEqual(late.line.actions, ['say Hello!', 'say You said: Are you still there?']);
  await stopped;
});
