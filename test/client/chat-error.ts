import assert from 'node:assert/strict';
import { ChatError } from '../../src/client/chat-client.ts';

/** Returns the ChatError that a call rejects with; fails if it resolves or rejects with another error. */
export async function errorOf(call: Promise<unknown>): Promise<ChatError> {
  let error: unknown;
  try {
    await call;
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof ChatError, `expected a ChatError, got ${String(error)}`);
  return error;
}
