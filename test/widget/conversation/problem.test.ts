import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChatError, type ChatErrorCode } from '../../../src/client/chat-client.ts';
import { isTemporary, problemFrom } from '../../../src/widget/conversation/problem.ts';

/** Every code of the client: whether its message may have been stored, and whether a retry can help. */
const codes: Record<ChatErrorCode, { outcomeUnknown: boolean; passes: boolean }> = {
  'assistant-not-found': { outcomeUnknown: false, passes: false },
  'conversation-not-found': { outcomeUnknown: false, passes: true },
  'conversation-ended': { outcomeUnknown: false, passes: true },
  'insufficient-balance': { outcomeUnknown: false, passes: true },
  'limit-reached': { outcomeUnknown: false, passes: true },
  'origin-not-allowed': { outcomeUnknown: false, passes: false },
  'user-token-required': { outcomeUnknown: false, passes: false },
  'user-token-expired': { outcomeUnknown: false, passes: false },
  'user-token-invalid': { outcomeUnknown: false, passes: false },
  'invalid-request': { outcomeUnknown: false, passes: false },
  'too-many-requests': { outcomeUnknown: false, passes: true },
  'engine-failed': { outcomeUnknown: false, passes: false },
  unavailable: { outcomeUnknown: true, passes: true },
  refused: { outcomeUnknown: false, passes: false },
  network: { outcomeUnknown: true, passes: true },
  timeout: { outcomeUnknown: true, passes: true },
  'bad-response': { outcomeUnknown: true, passes: true },
  'response-too-large': { outcomeUnknown: true, passes: true },
  aborted: { outcomeUnknown: true, passes: true },
};

describe('a problem', () => {
  for (const [code, { outcomeUnknown, passes }] of Object.entries(codes)) {
    it(`of code ${code} is ${passes ? 'temporary' : 'permanent'}, and its message ${outcomeUnknown ? 'may have been' : 'was not'} stored`, () => {
      const error = new ChatError(code as ChatErrorCode, 'In my words');
      const problem = problemFrom(error, 0, true);
      assert.deepEqual([problem.code, problem.message], [code, 'In my words']);
      assert.equal(error.outcomeUnknown, outcomeUnknown);
      assert.equal(isTemporary(problem), passes);
    });
  }

  it('of the network is `offline` if the browser says so, and no other is', () => {
    const broken = new ChatError('network', 'Broken');
    assert.equal(problemFrom(broken, 0, false).code, 'offline');
    assert.ok(isTemporary(problemFrom(broken, 0, false)));
    assert.equal(problemFrom(new ChatError('timeout', 'Late'), 0, false).code, 'timeout');
  });

  it('has the time of the next retry for too many requests only', () => {
    const retryAt = (code: ChatErrorCode, retryAfter?: number) =>
      problemFrom(new ChatError(code, '', { retryAfter }), 1000, true).retryAt;
    assert.equal(retryAt('too-many-requests', 5), 6000);
    assert.equal(retryAt('too-many-requests'), 31_000);
    assert.equal(retryAt('too-many-requests', 0), 2000);
    assert.equal(retryAt('unavailable', 5), undefined);
  });

  it('can be created from any thrown value', () => {
    for (const thrown of [
      new TypeError('x is not a function'),
      'oops',
      null,
      undefined,
      { code: 'network' },
    ]) {
      assert.equal(problemFrom(thrown, 0, true).code, 'bad-response');
    }
    assert.equal(problemFrom(new TypeError('x'), 0, true).message, 'TypeError: x');
  });
});
