import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternateRoles } from '../../src/service/engine/openai/alternate-roles.ts';
import type { ChatMessage } from '../../src/service/engine/openai/build-prompt.ts';

test('messages alternate around function calls, which templates do not count', () => {
  const calls: ChatMessage[] = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'book', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'done' },
  ];
  const roles = (messages: ChatMessage[]) => alternateRoles(messages).map(({ role }) => role);
  const asked: ChatMessage = { role: 'user', content: 'Book a table.' };
  const answered: ChatMessage = { role: 'assistant', content: 'It is booked.' };
  assert.deepEqual(roles([asked, ...calls, answered]), ['user', 'assistant', 'tool', 'assistant']);
  // The answer was stopped while the function ran.
  assert.deepEqual(roles([asked, ...calls, asked]), ['user', 'assistant', 'tool', 'assistant', 'user']);
});
