import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { Conversation, OpenedConversation } from '../../src/contract/chat-endpoints.ts';
import { firstIssue } from './first-issue.ts';

const opened = { status: true, conversation_id: '0f0e0d0c-0b0a-4908-8706-050403020100' };

describe('OpenedConversation', () => {
  const history = (value: unknown) => z.parse(OpenedConversation, { ...opened, history: value }).history;

  it('accepts an absent or null history as empty', () => {
    assert.deepEqual(z.parse(OpenedConversation, opened).history, []);
    assert.deepEqual(history(null), []);
  });

  it('keeps unknown fields', () => {
    const answer = z.parse(OpenedConversation, { ...opened, history: [], region: 'eu' });
    assert.equal(answer['region'], 'eu');
    assert.deepEqual(history([{ role: 'user', content: 'a', id: 1 }]), [
      { role: 'user', content: 'a', id: 1, function_calls: [] },
    ]);
  });

  it('reads an unknown role as `system`', () => {
    for (const role of ['operator', null, 3, undefined]) {
      assert.equal(history([{ role, content: 'Ada joined' }])[0]?.role, 'system');
    }
  });

  it('reads content that is not a string as empty', () => {
    for (const content of [null, undefined, 4, { text: 'a' }]) {
      assert.equal(history([{ role: 'assistant', content }])[0]?.content, '');
    }
  });

  it('rejects an invalid answer', () => {
    for (const answer of [
      { ...opened, status: false },
      { ...opened, status: 'true' },
      { ...opened, conversation_id: '' },
      { ...opened, conversation_id: 12 },
      { status: true },
      { ...opened, history: 'none' },
      { ...opened, history: ['none'] },
      'OK',
      null,
    ]) {
      assert.notEqual(firstIssue(OpenedConversation, answer), undefined, JSON.stringify(answer));
    }
  });
});

describe('Conversation', () => {
  it('reads absent, null or malformed variables as empty', () => {
    for (const variables of [undefined, null, 'none', 5]) {
      assert.deepEqual(z.parse(Conversation, { status: true, variables }).variables, {});
    }
    const variables = { name: 'Ada', visits: 2 };
    assert.deepEqual(z.parse(Conversation, { status: true, variables }).variables, variables);
  });

  it('reads `ai_enabled` and `ended` if they are valid', () => {
    const read = (more: object) => {
      const { ai_enabled, ended } = z.parse(Conversation, { status: true, ...more });
      return [ai_enabled, ended];
    };
    assert.deepEqual(read({ ai_enabled: false, ended: true }), [false, true]);
    assert.deepEqual(read({ ai_enabled: true, ended: false }), [true, false]);
    assert.deepEqual(read({}), [undefined, undefined]);
    assert.deepEqual(read({ ai_enabled: 'no', ended: null }), [undefined, undefined]);
  });

  it('reads the creation time of a message if it is valid', () => {
    const created = (created_at: unknown) =>
      z.parse(Conversation, { status: true, history: [{ role: 'user', content: 'a', created_at }] })
        .history[0]?.created_at;
    assert.equal(created('2026-01-31T09:30:00.000000Z'), '2026-01-31T09:30:00.000000Z');
    for (const invalid of [undefined, null, 1_769_851_800, {}]) assert.equal(created(invalid), undefined);
  });
});
