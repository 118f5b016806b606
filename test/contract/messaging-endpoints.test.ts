import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { AnsweredMessage, MessageDelta } from '../../src/contract/messaging-endpoints.ts';
import { firstIssue } from './first-issue.ts';

describe('AnsweredMessage', () => {
  const calls = (value: unknown) =>
    z.parse(AnsweredMessage, { status: true, message: 'Yes.', function_calls: value }).function_calls;

  it('reads absent, null or malformed function calls as empty', () => {
    for (const value of [undefined, null, 'none', [{ arguments: {} }]]) assert.deepEqual(calls(value), []);
  });

  it('keeps calls with malformed arguments or without a result', () => {
    assert.deepEqual(calls([{ name: 'look_up', arguments: '{}' }]), [{ name: 'look_up', arguments: {} }]);
    assert.deepEqual(calls([{ name: 'look_up', arguments: { id: 1 }, result: [2] }]), [
      { name: 'look_up', arguments: { id: 1 }, result: [2] },
    ]);
  });

  it('rejects an answer without a message', () => {
    assert.notEqual(firstIssue(AnsweredMessage, { status: true }), undefined);
    assert.notEqual(firstIssue(AnsweredMessage, { status: true, message: null }), undefined);
    assert.notEqual(firstIssue(AnsweredMessage, { status: false, message: 'Yes.' }), undefined);
  });
});

describe('MessageDelta', () => {
  it('accepts an empty text and rejects an absent one', () => {
    assert.equal(firstIssue(MessageDelta, { text: '' }), undefined);
    assert.notEqual(firstIssue(MessageDelta, {}), undefined);
  });
});
