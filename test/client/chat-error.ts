import assert from 'node:assert/strict';
import { ChatError } from '../../src/client/chat-client.ts';

/** The error that a call of the client ends with; fails if it ends well, or with any other error. */
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
