import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { ErrorBody } from '../../src/contract/error-body.ts';

const read = (body: unknown) => z.parse(ErrorBody, body);

describe('ErrorBody', () => {
  it('accepts every error shape of the interface', () => {
    assert.equal(read({ status: false, error: 'Assistant not found' }).error, 'Assistant not found');
    assert.equal(read({ message: 'Unauthenticated.' }).message, 'Unauthenticated.');
    assert.deepEqual(read({ message: 'a', errors: { name: ['a'] } })['errors'], { name: ['a'] });
    assert.equal(read({ message: 'Too Many Attempts.', retry_after: 30 })['retry_after'], 30);
  });

  it('reads absent texts and texts of a wrong type as empty', () => {
    const body = read({ status: 'no', error: { code: 1 }, message: 'Out of order' });
    assert.deepEqual([body.error, body.message], ['', 'Out of order']);
    assert.equal(read({}).error, '');
  });
});
