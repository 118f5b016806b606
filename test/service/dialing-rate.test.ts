import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitDialingRate } from '../../src/service/call/limit-dialing-rate.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';

const { carrier, service, pool, place } = await startPhoneService();
const { database } = service.running;
const never = new AbortController().signal;

describe('calls with a carrier that starts only some in a second', () => {
  it('are dialed one after the other', async () => {
    carrier.callsPerSecond = 20;
    const startedAt = performance.now();
    for (let call = 0; call < 5; call++) await place();
    const milliseconds = performance.now() - startedAt;
    assert.ok(milliseconds >= 4 * 50, String(milliseconds));
  });

  it('take turns in all processes', async () => {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 11 }, () => limitDialingRate(database, 50, never)));
    const milliseconds = performance.now() - startedAt;
    assert.ok(milliseconds >= 10 * 20, String(milliseconds));
  });

  it('do not wait while the service stops', async () => {
    await limitDialingRate(database, 0.1, never);
    const stop = new AbortController();
    const waiting = limitDialingRate(database, 0.1, stop.signal);
    stop.abort(new Error('The service is stopping.'));
    await assert.rejects(waiting, { name: 'AbortError' });
  });

  it('wait in the service if there are too many', async () => {
    await pool.query(`UPDATE dialing_turns SET next_at = now() + interval '1 minute'`);
    await assert.rejects(limitDialingRate(database, 1, never), /Too many calls/);
  });
});
