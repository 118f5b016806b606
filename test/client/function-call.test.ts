import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FunctionCall } from '../../src/contract/chat-endpoints.ts';

it('the arguments of a function call cannot replace the prototype of a copy', () => {
  const { arguments: given } = FunctionCall.parse(
    JSON.parse('{"name":"buy","arguments":{"count":1,"__proto__":{"isAdmin":true}}}'),
  );
  assert.deepEqual(Object.keys(given), ['count']);
});
