import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallResult, CallSettings, SpokenReply } from '../../src/service/call/call-parts.ts';
import { runCall } from '../../src/service/call/run-call.ts';
import { readNumberTraits } from '../../src/service/carrier/number-traits.ts';
import { SimulatedCarrier } from '../../src/service/carrier/simulated-carrier.ts';

const weights = { human: 70, machine: 15, 'no-answer': 8, busy: 5, failed: 2 };
const carrier = new SimulatedCarrier(weights, () => Promise.resolve());

/** Numbers whose digits determine the simulated outcome. */
const numbers = {
  person: '+4989100100000',
  hangsUp: '+4989100100700',
  silent: '+4989100100800',
  machine: '+4989100100070',
  nobody: '+4989100100085',
  busy: '+4989100100093',
  failing: '+4989100100098',
};

interface CallOptions extends Partial<CallSettings> {
  to?: string;
  ringingTime?: number;
  /** Number of minutes that the balance covers. */
  minutes?: number;
  reply?: (message: string) => Partial<SpokenReply>;
}

/** Runs a call without delays; returns its result, the log events and the transcript. */
async function call({
  to = numbers.person,
  ringingTime = 30,
  minutes = 100,
  reply,
  ...more
}: CallOptions = {}) {
  const events: string[] = [];
  const settings: CallSettings = {
    initialMessage: 'Hello, this is Kim.',
    waitForCustomer: false,
    maxDuration: 600,
    maxSilence: 40,
    maxInitialSilence: null,
    reengagementInterval: 30,
    endCallOnVoicemail: true,
    voiceMailMessage: '',
    ...more,
  };
  const end: CallResult = await runCall(
    () => carrier.place({ from: '', to, ringingTime, record: false, language: 'en', speechSpeed: 1 }),
    ringingTime,
    {
      settings,
      speaker: {
        answer: (message) =>
          Promise.resolve({ text: `You said: ${message}`, hangUp: false, ...reply?.(message) }),
        reengage: () => Promise.resolve({ text: 'Are you still there?', hangUp: false }),
      },
      callLog: {
        ringing: () => Promise.resolve(void events.push('ringing')),
        answered: (by) => Promise.resolve(void events.push(`answered by ${by}`)),
        saveLines: () => Promise.resolve(),
        chargeMinute: (minute) => {
          events.push(`minute ${minute}`);
          return Promise.resolve(minute <= minutes);
        },
      },
      signal: new AbortController().signal,
    },
  );
  return { end, events, lines: end.lines.map(({ role, content }) => `${role}: ${content}`) };
}

describe('a simulated number', () => {
  test('has outcomes in proportion to the weights', () => {
    const found: Record<string, number> = {};
    for (let digits = 0; digits < 100; digits++) {
      const { outcome } = readNumberTraits(`+49891001000${String(digits).padStart(2, '0')}`, weights);
      found[outcome] = (found[outcome] ?? 0) + 1;
    }
    assert.deepEqual(found, weights);
  });

  test('always has the same outcome if only one has a weight', () => {
    const onlyNoAnswer = { human: 0, machine: 0, 'no-answer': 3, busy: 0, failed: 0 };
    for (const number of Object.values(numbers))
      assert.equal(readNumberTraits(number, onlyNoAnswer).outcome, 'no-answer');
  });
});

describe('an unanswered call', () => {
  for (const [to, status, expected] of [
    [numbers.nobody, 'no-answer', ['ringing']],
    [numbers.busy, 'busy', []],
    [numbers.failing, 'failed', []],
  ] as const) {
    test(`ends as ${status} and is free`, async () => {
      const { end, events } = await call({ to });
      assert.deepEqual([end.status, end.duration, end.lines, end.answeredBy], [status, 0, [], 'unknown']);
      assert.deepEqual(events, expected);
    });
  }

  test('rings no longer than ringing_time', async () => {
    const slow = '+4989100109000';
    assert.equal((await call({ to: slow, ringingTime: 10 })).end.status, 'no-answer');
    assert.equal((await call({ to: slow, ringingTime: 11 })).end.status, 'completed');
  });
});

describe('a call answered by a person', () => {
  test('starts with the initial message and alternates until the person says goodbye', async () => {
    const { end, events, lines } = await call();
    assert.deepEqual(lines, [
      'assistant: Hello, this is Kim.',
      'user: Hello, yes, I have a moment.',
      'assistant: You said: Hello, yes, I have a moment.',
      'user: What is this about?',
      'assistant: You said: What is this about?',
      'user: Thank you, goodbye!',
      'assistant: You said: Thank you, goodbye!',
    ]);
    assert.deepEqual([end.status, end.answeredBy], ['completed', 'human']);
    assert.deepEqual(events, ['ringing', 'answered by human', 'minute 1']);
    assert.ok(end.duration > 10 && end.duration < 60, `${end.duration}`);
    for (const [index, { at, seconds }] of end.lines.entries()) {
      const next = end.lines[index + 1]?.at ?? end.duration;
      assert.ok(at >= 0 && at + seconds <= next + 0.01, `line ${index}`);
    }
  });

  test('answers the first words of the person with the initial message if wait_for_customer is true', async () => {
    const { lines } = await call({ waitForCustomer: true });
    assert.deepEqual(lines.slice(0, 2), ['user: Hello?', 'assistant: Hello, this is Kim.']);
  });

  test('waits for the person to speak first if there is no initial message', async () => {
    const { lines } = await call({ initialMessage: '' });
    assert.deepEqual(lines.slice(0, 2), ['user: Hello?', 'assistant: You said: Hello?']);
  });

  test('has the status ended_by_customer if the person hangs up without a word', async () => {
    const { end } = await call({ to: numbers.hangsUp });
    assert.deepEqual([end.status, end.lines.length], ['ended_by_customer', 1]);
  });

  test('ends after the last words of an assistant that hangs up', async () => {
    const { end, lines } = await call({ reply: () => ({ text: 'Goodbye!', hangUp: true }) });
    assert.equal(end.status, 'ended_by_assistant');
    assert.equal(lines.at(-1), 'assistant: Goodbye!');
    assert.equal(lines.length, 3);
  });

  test('is completed by a transfer', async () => {
    const { end } = await call({ reply: () => ({ text: '', transferTo: '+4930123456' }) });
    assert.deepEqual([end.status, end.reason, end.lines.length], ['completed', 'transfer', 2]);
  });

  test('ends at max_duration, even within a sentence', async () => {
    const { end } = await call({ maxDuration: 20, reply: () => ({ text: 'and '.repeat(500) }) });
    assert.deepEqual([end.status, end.reason, end.duration], ['completed', 'max-duration', 20]);
  });

  for (const maxDuration of [60, 90, 120, 600]) {
    test(`charges no minutes beyond a max_duration of ${maxDuration} s`, async () => {
      const minutes = Math.ceil(maxDuration / 60);
      for (const long of [
        { reply: () => ({ text: 'and '.repeat(2000) }) },
        { to: numbers.silent, maxSilence: 1000 },
      ]) {
        const { end, events } = await call({ ...long, maxDuration, minutes });
        assert.deepEqual([end.status, end.reason, end.duration], ['completed', 'max-duration', maxDuration]);
        assert.equal(events.filter((line) => line.startsWith('minute')).length, minutes);
      }
    });
  }

  test('charges every started minute and ends if the balance is too low', async () => {
    const long = { reply: () => ({ text: 'and '.repeat(400) }) };
    const { end, events } = await call(long);
    assert.equal(end.status, 'completed');
    const minutes = events.filter((line) => line.startsWith('minute')).length;
    assert.equal(minutes, Math.ceil(end.duration / 60));
    assert.ok(minutes > 3);
    const lowBalance = await call({ ...long, minutes: 1 });
    assert.deepEqual([lowBalance.end.status, lowBalance.end.reason], ['ended', 'balance']);
    const noBalance = await call({ minutes: 0 });
    assert.deepEqual([noBalance.end.status, noBalance.lines], ['ended', []]);
  });
});

describe('silence', () => {
  const silent = { to: numbers.silent, initialMessage: 'Hi.' };

  test('leads to re-engagement after each reengagement_interval and ends the call after max_silence_duration', async () => {
    const { end, lines } = await call({ ...silent, reengagementInterval: 10, maxSilence: 35 });
    assert.deepEqual(lines, ['assistant: Hi.', ...[1, 2, 3].map(() => 'assistant: Are you still there?')]);
    assert.deepEqual([end.status, end.reason], ['ended_by_assistant', 'silence']);
    // The assistant's words do not count as silence.
    const spoken = end.lines.reduce((sum, { seconds }) => sum + seconds, 0);
    assert.equal(end.duration, Math.ceil(35 + spoken));
  });

  test('is limited by max_initial_silence_duration until the person speaks', async () => {
    const { end, lines } = await call({ ...silent, maxInitialSilence: 5 });
    assert.equal(lines.length, 1);
    assert.equal(end.duration, 6);
    assert.equal((await call({ maxInitialSilence: 5, waitForCustomer: true })).end.status, 'completed');
  });
});

describe('an answering machine', () => {
  const machine = { to: numbers.machine };

  test('ends the call', async () => {
    const { end } = await call(machine);
    assert.deepEqual(
      [end.status, end.reason, end.answeredBy, end.lines],
      ['ended_by_assistant', 'voicemail', 'machine', []],
    );
  });

  test('receives the voicemail message after its greeting', async () => {
    const { end, lines } = await call({ ...machine, voiceMailMessage: 'Please call back.' });
    assert.equal(end.status, 'completed');
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /^user: Nobody/);
    assert.equal(lines[1], 'assistant: Please call back.');
  });

  test('is treated like a person if end_call_on_voicemail is false', async () => {
    const { end, lines } = await call({ ...machine, endCallOnVoicemail: false, maxSilence: 20 });
    assert.deepEqual(lines, ['assistant: Hello, this is Kim.']);
    assert.equal(end.reason, 'silence');
  });
});
