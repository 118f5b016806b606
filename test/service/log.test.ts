import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'drizzle-orm';
import { describeError } from '../../src/service/log.ts';
import { startService } from '../support/service/service.ts';

const { db } = (await startService()).running.database;

test('a failed query is logged by its code and place, without what it was about', async () => {
  for (const query of [
    sql`SELECT ${'PrivateText'}::integer`,
    sql`INSERT INTO languages (id, name, iso_2) VALUES (999, 'PrivateText', 'PrivateText')`,
    sql`SELECT * FROM nowhere WHERE text = ${'PrivateText'}`,
  ]) {
    const error: unknown = await db.execute(query).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const logged = describeError(error);
    assert.doesNotMatch(JSON.stringify(logged), /PrivateText/);
    assert.match(logged.cause?.code ?? '', /^[0-9A-Z]{5}$/);
    assert.match(logged.stack ?? '', /log\.test\.ts/);
  }
});

test('other errors are logged with their message, and whatever else was thrown with its type', () => {
  const logged = describeError(new TypeError('x is not a function', { cause: new Error('because') }));
  assert.equal(logged.type, 'TypeError');
  assert.equal(logged.message, 'x is not a function');
  assert.equal(logged.cause?.message, 'because');
  assert.deepEqual(describeError('PrivateText'), { type: 'string' });
});
