import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Pool } from 'pg';
import { pino } from 'pino';
import type { Connection } from '../../src/service/db/database.ts';
import { Notifications } from '../../src/service/db/notifications.ts';
import { retryDuringOutage } from '../../src/service/db/retry-during-outage.ts';
import { eventually } from '../support/eventually.ts';

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
  let attempts = 0;
  const server = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const pool = new Pool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  let warnings = 0;
  const log = pino({ level: 'warn' }, { write: () => warnings++ });
  const notifications = new Notifications(
    { kind: 'postgres', pool } as Connection,
    'test',
    () => undefined,
    log,
  );
  notifications.open();
  await eventually('three attempts', () => attempts >= 3);
  await notifications.close();
  assert.equal(warnings, 1);
});
