import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { outcomeOf, processed } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { eventually } from '../support/eventually.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const service = await startService({ ...(await newDatabase()), WORKERS: 'on', JOB_POLL_SECONDS: '0.5' });
const { database } = service.running;
const { pool } = database;
const owner = await Owner.create(service);
const { id: base } = await owner.create('knowledgebases', { name: 'K' });
// The first one is at the start; the next one follows in an hour.
await eventually('the hourly maintenance', async () => {
  const { rows } = await pool.query(
    "SELECT 1 FROM jobs.job WHERE name = 'hourly-maintenance' AND state = 'completed'",
  );
  return rows.length > 0;
});

test('fails a document whose job has failed at every try, and updates its knowledge base', async () => {
  const { rows: documents } = await pool.query<{ id: number }>(
    `WITH base AS (UPDATE knowledgebases SET status = 'processing' WHERE id = $1)
     INSERT INTO documents (knowledgebase_id, name, type) VALUES ($1, 'Crash', 'pdf') RETURNING id`,
    [base],
  );
  const document = documents[0]?.id ?? 0;
  await pool.query("INSERT INTO document_sources (document_id, file) VALUES ($1, 'x')", [document]);
  const jobs = new StoredJobs(database);
  await jobs.send('process-document', { documentId: document }, { startAfter: 3_600_000 });
  const { rows: sent } = await pool.query<{ id: string }>(
    "UPDATE jobs.job SET retry_count = retry_limit WHERE name = 'process-document' RETURNING id",
  );
  // As pg-boss does when the process of a job sends no heartbeats.
  await jobs.boss.fail('process-document', sent[0]?.id ?? '');
  assert.deepEqual(await outcomeOf(service, owner, base, document), {
    ...{ status: 'failed', failure: 'The document could not be processed.', text: '' },
  });
  const { json } = await owner.get(`knowledgebases/${base}`);
  assert.equal((json['data'] as { status: string }).status, 'empty');
});

test('stores the text of a document once the database is available again, in the same try', async () => {
  // Sequences are not rolled back, so it counts the attempts.
  await pool.query(`
    DELETE FROM jobs.job WHERE name = 'process-document';
    CREATE SEQUENCE attempts;
    CREATE FUNCTION shut_down() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('attempts');
        RAISE 'the database system is shutting down' USING ERRCODE = '57P03';
      END $$;
    CREATE TRIGGER outage BEFORE UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION shut_down()`);
  const { json } = await owner.upload(`knowledgebases/${base}/documents`, {
    ...{ name: 'D', type: 'txt', file: new Blob(['# Opening hours\n\nWe open at nine.']) },
  });
  await eventually('a second attempt', async () => {
    const { rows } = await pool.query<{ attempts: string }>('SELECT last_value AS attempts FROM attempts');
    return Number(rows[0]?.attempts) >= 2;
  });
  await pool.query('DROP TRIGGER outage ON documents');
  const { status } = await processed(owner, base, (json['data'] as { id: number }).id);
  assert.equal(status, 'active');
  const { rows } = await pool.query(
    "SELECT retry_count AS retries FROM jobs.job WHERE name = 'process-document'",
  );
  assert.deepEqual(rows, [{ retries: 0 }]);
});
