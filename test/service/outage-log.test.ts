import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import type { Connection } from '../../src/service/db/database.ts';
import { Notifications } from '../../src/service/db/notifications.ts';
import { retryDuringOutage } from '../../src/service/db/retry-during-outage.ts';

const database = { kind: 'postgres', pool: new Pool() } as Connection;

test('reports only the first failure of an outage', async () => {
  let [attempts, reports] = [0, 0];
  const work = retryDuringOutage(() => Promise.reject(Object.assign(new Error(), { code: '53100' })), {
    mayRetry: () => ++attempts < 4,
    onFirstFailure: () => {
      reports++;
    },
  });
  await assert.rejects(work);
  assert.deepEqual([attempts, reports], [4, 1]);
});

test('logs the loss of the connection for notifications once, not each attempt to reconnect', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let warnings = 0;
  const log = pino({ level: 'warn' }, { write: () => warnings++ });
  const connect = t.mock.method(Client.prototype, 'connect', () => Promise.reject(new Error('unreachable')));
  const notifications = new Notifications(database, 'test', () => undefined, log);
  notifications.open();
  for (let attempt = 0; attempt < 3; attempt++) {
    await turn();
    t.mock.timers.tick(1000);
  }
  await notifications.close();
  assert.deepEqual([connect.mock.callCount(), warnings], [4, 1]);
});
