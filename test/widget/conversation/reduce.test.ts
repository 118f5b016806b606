import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../src/widget/conversation/problem.ts';
import { reduce, type ConversationEvent } from '../../../src/widget/conversation/reduce.ts';
import type { Session } from '../../../src/widget/conversation/history/session.ts';
import type { HistoryItem } from '../../../src/widget/conversation/history/with-history.ts';
import { completeReply, growReply, type ReplyPiece } from '../../../src/widget/conversation/sending/reply.ts';
import { withHistory } from '../../../src/widget/conversation/history/with-history.ts';
import { emptySnapshot, isPending, type Snapshot } from '../../../src/widget/conversation/snapshot.ts';

const line = (role: HistoryItem['role'], content: string): HistoryItem => ({
  role,
  content,
  function_calls: [],
});
const call = (name: string, id: number, result?: unknown) => ({
  name,
  arguments: { id },
  ...(result !== undefined && { result }),
});
const network: Problem = { code: 'network', message: 'Broken' };
const hello = [line('assistant', 'Hello!')];
const sessionWith = (history: readonly HistoryItem[], differing: Partial<Session> = {}): Session => ({
  history: [...history],
  variables: undefined,
  aiEnabled: true,
  ended: undefined,
  ...differing,
});
/** An event, or one that follows from what shows. */
type Next = ConversationEvent | ((messages: Snapshot['messages']) => ConversationEvent);
const opened =
  (history: readonly HistoryItem[] = hello, differing: Partial<Session> = {}): Next =>
  (messages) => ({
    type: 'opened',
    conversationId: 'c',
    session: sessionWith(history, differing),
    messages: withHistory(messages, history),
    openedIn: 5,
    seen: undefined,
  });

const queued = (key: string, text = key): ConversationEvent => ({ type: 'queued', key, text, at: 1000 });
const sending = (key: string): ConversationEvent => ({ type: 'sending', key });
const piece =
  (of: ReplyPiece): Next =>
  (messages) => ({ type: 'reply', messages: growReply(messages, of), isPiece: true });
const delta = (key: string, text: string): Next => piece({ type: 'delta', key, text });
const answered =
  (key: string, message: string): Next =>
  (messages) => ({
    type: 'reply',
    messages: completeReply(messages, {
      key,
      answer: { status: true, message, function_calls: [] },
      at: 2000,
      timing: { first: 1, total: 2 },
    }),
    isPiece: false,
  });
const failedWith = (key: string, problem: Problem): ConversationEvent => ({
  type: 'send-failed',
  key,
  problem,
  fateUnknown: false,
});

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeep);
  }
  return value;
}

/** Applies events one after another to frozen snapshots, each twice: a change of the input or a whim would show. */
function after(...events: Next[]): Snapshot {
  let snapshot = freezeDeep<Snapshot>({ ...emptySnapshot });
  for (const next of events) {
    const event = freezeDeep(typeof next === 'function' ? next(snapshot.messages) : next);
    const reduced = reduce(snapshot, event);
    assert.deepEqual(reduce(snapshot, event), reduced);
    snapshot = freezeDeep(reduced);
  }
  return snapshot;
}

const shown = ({ messages }: Snapshot): string[] =>
  messages.map(({ role, text, status }) => `${role} ${text} ${status}`);
const keys = ({ messages }: Snapshot): string[] => messages.map(({ key }) => key);

describe('a conversation that opens', () => {
  it('is opening, without the problem of an earlier try', () => {
    const { status, problem } = after({ type: 'failed', problem: network }, { type: 'opening' });
    assert.deepEqual([status, problem], ['opening', undefined]);
  });

  it('is ready with its history, then what was written before', () => {
    const snapshot = after(queued('a'), { type: 'opening' }, opened());
    assert.deepEqual(shown(snapshot), ['assistant Hello! done', 'user a queued']);
    const { status, conversationId, openedIn, variables } = snapshot;
    assert.deepEqual([status, conversationId, openedIn, variables], ['ready', 'c', 5, undefined]);
  });

  it('keeps the place in the history from which the service gave no more, whatever later histories leave out', () => {
    const earlier = { earlier_cursor: '7' };
    const session = sessionWith(hello, { earlier: { earlier_cursor: '9' } });
    const later: Next = { type: 'history', session, messages: [] };
    const first = opened(hello, { earlier });
    assert.equal(after(first, later).earlier, earlier);
    assert.equal(after(opened(), later).earlier, undefined);
    assert.equal(after(first, { type: 'reset', keepPending: true }).earlier, undefined);
  });

  it('fails with a problem and keeps what shows', () => {
    const snapshot = after(queued('a'), { type: 'opening' }, { type: 'failed', problem: network });
    assert.deepEqual(
      [snapshot.status, snapshot.problem, shown(snapshot)],
      ['failed', network, ['user a queued']],
    );
  });
});

describe('a message', () => {
  it('is queued at the end', () => {
    assert.deepEqual(shown(after(opened(), queued('a'), queued('b'))).slice(1), [
      'user a queued',
      'user b queued',
    ]);
  });

  it('is being sent, and the assistant replies', () => {
    const snapshot = after(opened([]), queued('a'), sending('a'));
    assert.deepEqual([snapshot.status, shown(snapshot)], ['replying', ['user a sending']]);
  });

  it('has arrived with the first piece of its answer, which stands right behind it', () => {
    const snapshot = after(
      opened([]),
      queued('a'),
      queued('b'),
      sending('a'),
      delta('a', 'He'),
      delta('a', 'y'),
    );
    assert.deepEqual(shown(snapshot), ['user a sent', 'assistant Hey streaming', 'user b queued']);
  });

  it('has its whole answer at the end, whatever the pieces said', () => {
    const snapshot = after(
      opened([]),
      queued('a'),
      queued('b'),
      sending('a'),
      delta('a', 'Hex'),
      answered('a', 'Hey'),
    );
    assert.deepEqual(shown(snapshot), ['user a sent', 'assistant Hey done', 'user b queued']);
    assert.deepEqual(snapshot.messages[1]?.timing, { first: 1, total: 2 });
    assert.equal(snapshot.status, 'replying');
    assert.equal(reduce(snapshot, { type: 'settled' }).status, 'ready');
  });

  it('has no reply where the answer is empty', () => {
    const snapshot = after(opened([]), queued('a'), sending('a'), delta('a', 'x'), answered('a', ''));
    assert.deepEqual(shown(snapshot), ['user a sent']);
  });

  it('fails without its half answer, and says why', () => {
    const events = [opened([]), queued('a'), sending('a'), delta('a', 'x')];
    const snapshot = after(...events, failedWith('a', network));
    assert.deepEqual([snapshot.status, shown(snapshot)], ['ready', ['user a failed']]);
    assert.deepEqual(snapshot.messages[0]?.problem, network);
  });

  it('that waits again still says why, until it is answered', () => {
    const failed: Next[] = [
      opened([]),
      queued('a'),
      sending('a'),
      failedWith('a', network),
      { type: 'requeued', key: 'a' },
    ];
    const [message] = after(...failed).messages;
    assert.deepEqual([message?.status, message?.problem], ['queued', network]);
    const done = after(...failed, sending('a'), answered('a', 'Hey')).messages[0];
    assert.deepEqual([done?.status, done?.problem], ['sent', undefined]);
  });

  it('keeps its key through all of it', () => {
    const snapshot = after(opened([]), queued('a'), sending('a'), delta('a', 'x'), answered('a', 'y'));
    assert.deepEqual(keys(snapshot), ['a', 'a-reply']);
  });
});

describe('the calls of tools', () => {
  const calls = (...told: ReturnType<typeof call>[]) =>
    after(
      opened([]),
      queued('a'),
      sending('a'),
      ...told.map((one) => piece({ type: 'function-call', key: 'a', call: one })),
    ).messages[1]?.functionCalls;

  it('show when they begin, and again with their result', () => {
    assert.deepEqual(calls(call('find', 1)), [call('find', 1)]);
    assert.deepEqual(calls(call('find', 1), call('find', 1, 'x')), [call('find', 1, 'x')]);
    assert.deepEqual(calls(call('find', 1), call('find', 1, null)), [call('find', 1, null)]);
  });

  it('are told apart by name, by arguments, and by being done', () => {
    assert.equal(calls(call('find', 1), call('find', 2, 'x'))?.length, 2);
    assert.equal(calls(call('find', 1), call('seek', 1, 'x'))?.length, 2);
    assert.deepEqual(calls(call('find', 1, 'x'), call('find', 1, 'y')), [
      call('find', 1, 'x'),
      call('find', 1, 'y'),
    ]);
    const twice = calls(call('find', 1), call('find', 1), call('find', 1, 'x'));
    assert.deepEqual(twice, [call('find', 1, 'x'), call('find', 1)]);
  });
});

describe('the end', () => {
  const events = [opened(), queued('a'), sending('a'), answered('a', 'Hey'), queued('b'), queued('c')];
  const failed: ConversationEvent = failedWith('b', network);

  it('of a conversation leaves nothing', () => {
    assert.deepEqual(after(...events, { type: 'reset', keepPending: false }), emptySnapshot);
  });

  it('leaves what nobody has read, ready to be sent, where that is wanted', () => {
    const snapshot = after(...events, sending('b'), failed, { type: 'reset', keepPending: true });
    assert.deepEqual(shown(snapshot), ['user b queued', 'user c queued']);
    assert.deepEqual([snapshot.status, snapshot.conversationId], ['idle', undefined]);
  });
});

describe('variables', () => {
  it('are kept beside everything else', () => {
    const snapshot = after(opened(), { type: 'variables', variables: { city: 'Bern' } });
    assert.deepEqual(snapshot.variables, { city: 'Bern' });
    assert.equal(snapshot.status, 'ready');
  });
});

describe('a pending message', () => {
  it('is one of the visitor’s that is not sent', () => {
    const { messages } = after(opened(), queued('a'), queued('b'), sending('a'), delta('a', 'x'));
    assert.deepEqual(messages.map(isPending), [false, false, false, true]);
  });
});
