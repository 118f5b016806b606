import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { pino } from 'pino';
import type { CallStore } from '../../src/service/call/store/call-store.ts';
import { RetryingCallStore } from '../../src/service/call/store/retrying-call-store.ts';
import type { RetryingOptions } from '../../src/service/call/store/retrying-call-store.ts';

const silent = pino({ level: 'silent' });

/** A log whose database fails so many times, with this error. */
function failing(times: number, error: Error, more: Partial<RetryingOptions> = {}) {
  const { signal } = new AbortController();
  const options = { leaseMs: 5000, hasEnded: () => false, closing: signal, interrupted: signal, ...more };
  let left = times;
  const saved: number[] = [];
  const attempt = async () => {
    await Promise.resolve();
    // As the query builder wraps it.
    if (left-- > 0) throw new Error('Failed query', { cause: error });
  };
  const log: CallStore = {
    async saveMessages(lines) {
      await attempt();
      saved.push(lines.length);
    },
    chargeMinute: attempt,
    release: attempt,
  };
  return { log: new RetryingCallStore(log, options, silent), saved };
}

const stopping = Object.assign(new DatabaseError('terminating connection', 0, 'error'), { code: '57P01' });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const lost = new Error('Connection terminated unexpectedly');
const silentConnection = new Error('Query read timeout');
const wrong = Object.assign(new DatabaseError('no such column', 0, 'error'), { code: '42703' });

describe('the progress of a call', () => {
  for (const [title, error] of [
    ['is being restarted', stopping],
    ['refuses connections', refused],
    ['loses the connection', lost],
    ['stops responding', silentConnection],
  ] as const) {
    it(`is stored after the database ${title}`, async () => {
      const { log, saved } = failing(2, error);
      await log.saveMessages([]);
      assert.deepEqual(saved, [0]);
    });
  }

  it('is charged after an outage', async () => {
    await assert.doesNotReject(failing(1, lost).log.chargeMinute(1));
  });

  it('is stored after an outage that is longer than a lease, but only if the customer does not wait', async () => {
    const { log, saved } = failing(2, lost, { leaseMs: -1, hasEnded: () => true });
    await log.saveMessages([]);
    assert.deepEqual(saved, [0]);
    await assert.rejects(failing(1, lost, { leaseMs: -1 }).log.saveMessages([]));
  });

  it('delays the stop of the process during an outage by at most a lease, so that another one can continue', async () => {
    const options = { hasEnded: () => true, closing: AbortSignal.abort() };
    const { log, saved } = failing(1, lost, options);
    await log.saveMessages([]);
    assert.deepEqual(saved, [0]);
    await assert.rejects(failing(1, lost, { ...options, leaseMs: -1 }).log.saveMessages([]));
  });

  it('does not delay the stop of the process if no other process can continue the call', async () => {
    const interrupted = AbortSignal.abort();
    await assert.rejects(failing(1, lost, { interrupted }).log.saveMessages([]));
  });

  it('fails at once if the query is wrong', async () => {
    const { log, saved } = failing(1, wrong);
    await assert.rejects(log.saveMessages([]));
    assert.deepEqual(saved, []);
  });
});
