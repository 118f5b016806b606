import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';
import { testDatabase } from '../support/service/service.ts';

// A lease so long that its renewals, which also read who answered, do not hide a missed notification.
const { model, pool, connect, ended, startAnother } = await startPhoneService({
  REPLY_LEASE_SECONDS: '3600',
});
model.behave({});

it(
  'a machine detection that was reported to another process while this one was not listening reaches the call',
  { skip: testDatabase === 'pglite' && 'an embedded database has one process' },
  async () => {
    const { handler: other } = await startAnother();
    const { call, line, over, id } = await connect({
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: true,
    });
    await line.hears();
    await eventually('the end of the connections for notifications', async () => {
      const { rowCount } = await pool.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'SELECT pg_notify%' AND pid <> pg_backend_pid()`,
      );
      return rowCount !== 0;
    });
    await call.report({ type: 'identified', by: 'machine' }, { at: other });
    assert.equal(await line.hears(), 'Please call back.');
    await over;
    assert.equal((await ended(id))['answered_by'], 'machine');
  },
);
