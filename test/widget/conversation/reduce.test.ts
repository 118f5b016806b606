import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../src/widget/conversation/problem.ts';
import { reduce, type ConversationEvent } from '../../../src/widget/conversation/reduce.ts';
import type { ConversationRecord } from '../../../src/widget/conversation/history/request-conversation.ts';
import type { HistoryItem } from '../../../src/widget/conversation/history/merge-history.ts';
import {
  emptySnapshot,
  isPending,
  type Message,
  type Snapshot,
} from '../../../src/widget/conversation/snapshot.ts';

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
const recordOf = (
  history: readonly HistoryItem[],
  differing: Partial<ConversationRecord> = {},
): ConversationRecord => ({
  history: [...history],
  variables: undefined,
  aiEnabled: true,
  ended: undefined,
  ...differing,
});
const opened = (
  history: readonly HistoryItem[] = hello,
  differing: Partial<ConversationRecord> = {},
): ConversationEvent => ({
  type: 'opened',
  conversationId: 'c',
  record: recordOf(history, differing),
  openedIn: 5,
  seen: undefined,
});

const queued = (key: string, text = key): ConversationEvent => ({ type: 'queued', key, text, at: 1000 });
const sending = (key: string): ConversationEvent => ({ type: 'sending', key });
const delta = (key: string, text: string): ConversationEvent => ({ type: 'delta', key, text });
const answered = (key: string, message: string): ConversationEvent => ({
  type: 'answered',
  key,
  answer: { status: true, message, function_calls: [] },
  at: 2000,
  timing: { first: 1, total: 2 },
});
const failedWith = (key: string, problem: Problem): ConversationEvent => ({
  type: 'send-failed',
  key,
  problem,
  outcomeUnknown: false,
});

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeep);
  }
  return value;
}

/** Applies events one after another to frozen snapshots, each twice, which finds mutations and side effects. */
function after(...events: ConversationEvent[]): Snapshot {
  let snapshot = freezeDeep<Snapshot>({ ...emptySnapshot });
  for (const event of events.map(freezeDeep)) {
    const reduced = reduce(snapshot, event, true);
    assert.deepEqual(reduce(snapshot, event, true), reduced);
    snapshot = freezeDeep(reduced);
  }
  return snapshot;
}

const shown = ({ messages }: Snapshot): string[] =>
  messages.map(({ role, text, status }) => `${role} ${text} ${status}`);
const keys = ({ messages }: Snapshot): string[] => messages.map(({ key }) => key);

describe('a conversation that opens', () => {
  it('is opening, without the problem of an earlier attempt', () => {
    const { status, problem } = after({ type: 'failed', problem: network }, { type: 'opening' });
    assert.deepEqual([status, problem], ['opening', undefined]);
  });

  it('is ready with its history, then the pending messages', () => {
    const snapshot = after(queued('a'), { type: 'opening' }, opened());
    assert.deepEqual(shown(snapshot), ['assistant Hello! done', 'user a queued']);
    const { status, conversationId, openedIn, variables } = snapshot;
    assert.deepEqual([status, conversationId, openedIn, variables], ['ready', 'c', 5, undefined]);
  });

  it('keeps the cursor of earlier messages if later histories omit it', () => {
    const earlier = { earlier_cursor: '7' };
    const record = recordOf(hello, { earlier: { earlier_cursor: '9' } });
    const later: ConversationEvent = { type: 'history', record };
    const first = opened(hello, { earlier });
    assert.equal(after(first, later).earlier, earlier);
    assert.equal(after(opened(), later).earlier, undefined);
  });

  it('fails with a problem and keeps its messages', () => {
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

  it('is delivered with the first chunk of its answer, which follows it', () => {
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

  it('has the whole answer at the end, regardless of the chunks', () => {
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
    assert.equal(reduce(snapshot, { type: 'settled' }, true).status, 'ready');
  });

  it('has no reply if the answer is empty', () => {
    const snapshot = after(opened([]), queued('a'), sending('a'), delta('a', 'x'), answered('a', ''));
    assert.deepEqual(shown(snapshot), ['user a sent']);
  });

  it('fails without its partial answer, and with the reason', () => {
    const events = [opened([]), queued('a'), sending('a'), delta('a', 'x')];
    const snapshot = after(...events, failedWith('a', network));
    assert.deepEqual([snapshot.status, shown(snapshot)], ['ready', ['user a failed']]);
    assert.deepEqual(snapshot.messages[0]?.problem, network);
  });

  it('that is queued again keeps the reason until it is answered', () => {
    const failed: ConversationEvent[] = [
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

  it('keeps its key', () => {
    const snapshot = after(opened([]), queued('a'), sending('a'), delta('a', 'x'), answered('a', 'y'));
    assert.deepEqual(keys(snapshot), ['a', 'a-reply']);
  });
});

describe('tool calls', () => {
  const calls = (...told: ReturnType<typeof call>[]) =>
    after(
      opened([]),
      queued('a'),
      sending('a'),
      ...told.map((one) => ({ type: 'function-call', key: 'a', call: one }) as const),
    ).messages[1]?.functionCalls;

  it('show when they begin, and again with their result', () => {
    assert.deepEqual(calls(call('find', 1)), [call('find', 1)]);
    assert.deepEqual(calls(call('find', 1), call('find', 1, 'x')), [call('find', 1, 'x')]);
    assert.deepEqual(calls(call('find', 1), call('find', 1, null)), [call('find', 1, null)]);
  });

  it('are identified by name, arguments and completion', () => {
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

describe('a new conversation', () => {
  it('takes over unsent messages of the previous one as queued', () => {
    const before = after(
      opened(),
      queued('a'),
      sending('a'),
      answered('a', 'Hey'),
      queued('b'),
      queued('c'),
      sending('b'),
      failedWith('b', network),
    );
    const snapshot = after({ type: 'carried-over', messages: before.messages });
    assert.deepEqual(shown(snapshot), ['user b queued', 'user c queued']);
    assert.deepEqual([snapshot.status, snapshot.conversationId], ['idle', undefined]);
  });
});

describe('unread messages', () => {
  it('are counted while the visitor does not see them', () => {
    const snapshot = after(opened(), queued('a'), sending('a'), delta('a', 'x'));
    const event = answered('a', 'Hey');
    assert.equal(reduce(snapshot, event, false).unread, 1);
    assert.equal(reduce(snapshot, event, true).unread, 0);
  });
});

describe('unread messages of a closed chat', () => {
  const closed = after(opened(), queued('a'), sending('a'));

  it('are not counted while an answer grows, and not for what the visitor sends', () => {
    assert.equal(reduce(closed, delta('a', 'x'), false).unread, 0);
    assert.equal(reduce(after(opened()), queued('a'), false).unread, 0);
  });

  it('are not counted when a conversation is opened', () => {
    assert.equal(reduce(after(), opened([...hello, line('assistant', 'Still there?')]), false).unread, 0);
  });

  it('keep their number if nothing is received, and lose those that are removed', () => {
    const unread = { ...reduce(closed, answered('a', 'Hey'), false), unread: 3 };
    assert.equal(reduce(unread, { type: 'variables', variables: {} }, false).unread, 3);
    const failed = reduce({ ...closed, unread: 0 }, failedWith('a', network), false);
    assert.equal(failed.unread, 0);
  });
});

describe('an answer that another tab receives', () => {
  const growing = (text: string): ConversationEvent => ({
    type: 'streamed-elsewhere',
    messages: [{ key: 'other', role: 'assistant', text, status: 'streaming', at: 1, functionCalls: [] }],
  });

  it('grows in place, before the messages that wait', () => {
    const snapshot = after(opened(), queued('a'), growing('One'), growing('One two'));
    assert.deepEqual(shown(snapshot), [
      'assistant Hello! done',
      'assistant One two streaming',
      'user a queued',
    ]);
  });

  it('stays if a message of this tab fails, whose own answer is removed', () => {
    const snapshot = after(
      opened([]),
      queued('a'),
      growing('One'),
      sending('a'),
      delta('a', 'x'),
      failedWith('a', network),
    );
    assert.deepEqual(shown(snapshot), ['assistant One streaming', 'user a failed']);
  });

  it('is the last message if none waits', () => {
    assert.deepEqual(shown(after(opened(), growing('One'))), [
      'assistant Hello! done',
      'assistant One streaming',
    ]);
  });
});

describe('an answer that the visitor stops', () => {
  it('keeps its text, is marked, and its message has been sent', () => {
    const stopped = { type: 'stopped', key: 'a', at: 3000 } as const;
    const snapshot = after(opened(), queued('a'), sending('a'), delta('a', 'Par'), stopped);
    assert.deepEqual(shown(snapshot), ['assistant Hello! done', 'user a sent', 'assistant Par done']);
    const { isStopped, at } = snapshot.messages[2] as Message;
    assert.deepEqual([isStopped, at], [true, 3000]);
  });
});

describe('a removed message', () => {
  it('disappears with its partial answer, and no other does', () => {
    const removed = { type: 'removed', keys: ['a'] } as const;
    const snapshot = after(opened(), queued('a'), queued('b'), sending('a'), delta('a', 'Par'), removed);
    assert.deepEqual(shown(snapshot), ['assistant Hello! done', 'user b queued']);
  });
});

describe('a record of the service', () => {
  it('ends the conversation, or leaves its status as it is', () => {
    const sent = [opened(), queued('a'), sending('a')];
    const ended: Problem = { code: 'conversation-ended', message: 'Conversation has ended' };
    assert.equal(after(...sent, { type: 'history', record: recordOf(hello, { ended }) }).status, 'ended');
    assert.equal(after(...sent, { type: 'history', record: recordOf(hello) }).status, 'replying');
  });
});

describe('variables', () => {
  it('are kept with everything else', () => {
    const snapshot = after(opened(), { type: 'variables', variables: { city: 'Bern' } });
    assert.deepEqual(snapshot.variables, { city: 'Bern' });
    assert.equal(snapshot.status, 'ready');
  });
});

describe('a pending message', () => {
  it('is an unsent message of the visitor', () => {
    const { messages } = after(opened(), queued('a'), queued('b'), sending('a'), delta('a', 'x'));
    assert.deepEqual(messages.map(isPending), [false, false, false, true]);
  });
});
