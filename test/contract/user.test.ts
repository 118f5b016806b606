import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { ApiKeys, User } from '../../src/contract/user.ts';

describe('User', () => {
  it('rejects a balance that is not a number', () => {
    const user = { name: 'Ada', email: 'ada@example.com', total_balance: 12.5 };
    assert.equal(z.safeParse(User, user).success, true);
    assert.equal(z.safeParse(User, { ...user, total_balance: '12.50' }).success, false);
  });
});

describe('ApiKeys', () => {
  const key = { id: 1, name: 'Shop', last_used_at: null, created_at: '2026-01-31T09:30:00.000000Z' };

  it('accepts a key that was never used', () => {
    assert.deepEqual(z.parse(ApiKeys, { api_keys: [key] }).api_keys, [key]);
  });

  it('rejects a key without an id', () => {
    assert.equal(z.safeParse(ApiKeys, { api_keys: [{ ...key, id: undefined }] }).success, false);
  });
});
