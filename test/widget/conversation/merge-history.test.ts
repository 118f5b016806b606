import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HistoryItem } from '../../../src/widget/conversation/history/merge-history.ts';
import type { Message } from '../../../src/widget/conversation/snapshot.ts';
import { mergeHistory } from '../../../src/widget/conversation/history/merge-history.ts';

const line = (role: HistoryItem['role'], content: string): HistoryItem => ({
  role,
  content,
  function_calls: [],
});
const message = (
  key: string,
  role: Message['role'],
  text: string,
  differing: Partial<Message> = {},
): Message => ({
  key,
  role,
  text,
  status: role === 'user' ? 'sent' : 'done',
  functionCalls: [],
  ...differing,
});
const shown = (messages: readonly Message[]): string[] =>
  messages.map(({ role, text, status }) => `${role} ${text} ${status}`);
const keys = (messages: readonly Message[]): string[] => messages.map(({ key }) => key);

const hello = message('h', 'assistant', 'Hello!');
const asked = message('a', 'user', 'One?');
const said = message('a-reply', 'assistant', 'One.');

describe('the history', () => {
  it('replaces everything that is not pending', () => {
    const waiting = message('b', 'user', 'Two?', { status: 'queued' });
    const history = [line('assistant', 'Hello!'), line('user', 'One?'), line('assistant', 'One!')];
    const merged = mergeHistory([hello, asked, said, waiting], history);
    assert.deepEqual(shown(merged), [
      'assistant Hello! done',
      'user One? sent',
      'assistant One! done',
      'user Two? queued',
    ]);
  });

  it('does not change messages that are shown already', () => {
    const before = [hello, asked, said];
    const history = before.map(({ role, text }) => line(role, text));
    const merged = mergeHistory(before, [...history, line('system', 'Nora is here')]);
    for (const [index, one] of before.entries()) assert.equal(merged[index], one);
    assert.equal(merged.at(-1)?.status, 'done');
    assert.equal(new Set(keys(merged)).size, 4);
  });

  it('stays complete if the service returns only its end, although messages repeat', () => {
    const texts = ['Hi', 'Yes', 'First?', 'Yes', 'Second?', 'Yes', 'Third?', 'Yes', 'Done.'];
    const whole = texts.map((text, at) => line(at % 2 ? 'user' : 'assistant', text));
    const before = mergeHistory([], whole);
    for (const length of [2, 4, 6, 8])
      assert.deepEqual(mergeHistory(before, whole.slice(-length)), before, `the last ${length}`);
    const longer = [...whole, line('user', 'Yes'), line('assistant', 'Really done.')];
    assert.deepEqual(
      mergeHistory(before, longer.slice(-4)).map(({ text }) => text),
      longer.map(({ content }) => content),
    );
    assert.deepEqual(
      mergeHistory(before, longer).map(({ text }) => text),
      longer.map(({ content }) => content),
    );
  });

  it('stays complete if the service returns as many messages as before, but later ones', () => {
    const texts = ['Yes', 'A', 'Yes', 'B', 'C', 'D'];
    const whole = texts.map((text, at) => line(at % 2 ? 'assistant' : 'user', text));
    const merged = mergeHistory(mergeHistory([], whole.slice(0, 4)), whole.slice(-4));
    assert.deepEqual(
      merged.map(({ text }) => text),
      texts,
    );
  });

  it('stays complete after an answer of which the service stores more than was shown', () => {
    const shown = mergeHistory(
      [],
      ['Yes', 'A', 'Yes', 'The long'].map((text, at) => line(at % 2 ? 'assistant' : 'user', text)),
    ).map((message, at) => (at === 3 ? { ...message, isStopped: true as const } : message));
    const merged = mergeHistory(shown, [line('user', 'Yes'), line('assistant', 'The long answer')]);
    assert.deepEqual(
      merged.map(({ text }) => text),
      ['Yes', 'A', 'Yes', 'The long'],
    );
  });

  it('inserts messages in between, and every message keeps its key', () => {
    const first = mergeHistory([], [line('assistant', 'Hello!'), line('user', 'One?'), line('user', 'Two?')]);
    const history = [
      line('assistant', 'Hello!'),
      line('user', 'One?'),
      line('assistant', 'One.'),
      line('user', 'Two?'),
      line('assistant', 'Two.'),
    ];
    const merged = mergeHistory(first, history);
    assert.deepEqual([merged[1], merged[3]], [first[1], first[2]]);
    assert.equal(new Set(keys(merged)).size, 5);
  });

  it('replaces an answer that was cut off', () => {
    const cut = message('a-reply', 'assistant', 'On', { status: 'streaming' });
    const merged = mergeHistory([asked, cut], [line('user', 'One?'), line('assistant', 'One.')]);
    assert.deepEqual(shown(merged), ['user One? sent', 'assistant One. done']);
  });

  it('keeps a stopped answer, though the service continued for a moment', () => {
    const stopped = message('a-reply', 'assistant', 'On', { isStopped: true });
    const merged = mergeHistory([asked, stopped], [line('user', 'One?'), line('assistant', 'One. T')]);
    assert.equal(merged[1], stopped);
  });

  it('that has only the end keeps earlier messages', () => {
    const merged = mergeHistory(
      [hello, asked, said],
      [line('user', 'One?'), line('assistant', 'One.'), line('user', 'Two?')],
    );
    assert.deepEqual(shown(merged), [
      'assistant Hello! done',
      'user One? sent',
      'assistant One. done',
      'user Two? sent',
    ]);
  });

  it('has an empty entry for a tool result, and recognizes it again', () => {
    const history = [
      line('tool', '{"rows":[]}'),
      line('assistant', 'Hello!'),
      line('function', '7'),
      line('system', 'x'),
    ];
    const merged = mergeHistory([], history);
    assert.deepEqual(shown(merged), [
      'system  done',
      'assistant Hello! done',
      'system  done',
      'system x done',
    ]);
    assert.deepEqual(keys(mergeHistory(merged, history)), keys(merged));
    assert.deepEqual(keys(mergeHistory([asked, ...merged], history)), ['a', ...keys(merged)]);
  });

  it('has the time of each message if the service returns it', () => {
    const [dated, undated, odd] = mergeHistory(
      [],
      [
        { ...line('assistant', 'Hello!'), created_at: '2026-01-31T09:30:00.000000Z' },
        line('user', 'One?'),
        { ...line('user', 'Two?'), created_at: 'yesterday' },
      ],
    );
    assert.equal(dated?.at, Date.parse('2026-01-31T09:30:00Z'));
    assert.deepEqual([undated?.at, odd?.at], [undefined, undefined]);
  });
});
