import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  CallResult,
  CallSettings,
  CallProgress,
  CallStore,
} from '../../src/service/call/store/call-store.ts';
import { LeasedLine } from '../../src/service/call/connection/leased-line.ts';
import type { CallMessage } from '../../src/service/db/calls-table.ts';
import { CallConversation } from '../../src/service/call/turns/call-conversation.ts';
import type { CallConversationOptions } from '../../src/service/call/turns/call-conversation.ts';
import { MustEndError } from '../../src/service/call/store/must-end-error.ts';
import type { AnsweredBy, CallHandler, NextStep } from '../../src/service/carrier/carrier.ts';
import { readNumberTraits } from '../../src/service/carrier/number-traits.ts';
import { SimulatedCarrier } from '../../src/service/carrier/simulated-carrier.ts';
import { callPlan, speechSettings } from '../support/calls/call-plan.ts';
import { ScriptedLine } from '../support/calls/scripted-line.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;

async function* oneText(text: string) {
  yield await Promise.resolve({ type: 'text' as const, text });
}

const weights = { human: 70, machine: 15, 'no-answer': 8, busy: 5, failed: 2 };

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

/** The assistant's answer in these tests. */
interface Reply {
  text: string;
  hangUp?: boolean;
  transferTo?: string;
  digits?: string;
}

interface CallOptions extends Partial<CallSettings> {
  to?: string;
  ringingTime?: number;
  allowInterruptions?: boolean;
  /** Number of minutes that the balance covers. */
  minutes?: number;
  reply?: (message: string) => Partial<Reply>;
}

type Ended = CallResult & { answeredBy: AnsweredBy };

/** The texts that the assistant says of its own accord. */
const turnTexts = {
  silence: 'Are you still there?',
  'transfer-unanswered': 'Nobody answered.',
  reconnected: 'We were interrupted.',
};

const callSettings: CallSettings = {
  initialMessage: 'Hello, this is Kim.',
  waitForCustomer: false,
  maxDuration: 600,
  maxSilence: 40,
  maxInitialSilence: null,
  reengagementInterval: 30,
  endCallOnVoicemail: true,
  voiceMailMessage: '',
};

/** Makes a call without delays; returns its result, what was stored meanwhile, and the transcript. */
async function call({
  to = numbers.person,
  ringingTime = 30,
  minutes = 100,
  allowInterruptions = true,
  reply,
  ...more
}: CallOptions = {}) {
  const events: string[] = [];
  const settings = { ...callSettings, ...more };
  let answeredBy: AnsweredBy = 'unknown';
  let end: CallResult = { status: 'failed', reason: 'no-connection', duration: 0, messages: [] };
  let leasedLine: LeasedLine | undefined;
  let earlier: CallProgress | undefined;
  const released: { duration: number; transferTo?: string | undefined }[] = [];
  const speak = async function* (given: Partial<Reply>, text: string) {
    await Promise.resolve();
    const { text: said = text, hangUp, transferTo, digits } = given;
    const calls = [
      ...(hangUp ? [{ name: 'end_call', arguments: {}, result: { ended: true } }] : []),
      ...(transferTo
        ? [{ name: 'call_transfer', arguments: {}, result: { transferred_to: transferTo } }]
        : []),
      ...(digits ? [{ name: 'dtmf_input', arguments: { digits }, result: { sent: digits } }] : []),
    ];
    for (const found of calls) yield { type: 'function_call' as const, call: found };
    for (const word of said.split(/(?<= )/)) yield { type: 'text' as const, text: word };
  };
  const handler: CallHandler = {
    planOf: () => Promise.reject(new Error('This carrier has the plan.')),
    onConnected: async (_, line) => {
      leasedLine = new LeasedLine(line, 'a lease');
      let messages = earlier?.messages ?? [];
      const result = await new CallConversation({
        line: leasedLine,
        settings,
        speaker: {
          answer: (message) => speak(reply?.(message) ?? {}, `You said: ${message}`),
          startTurn: (reason) => speak({}, turnTexts[reason]),
        },
        callStore: {
          saveMessages: (saved) => Promise.resolve(void (messages = [...saved])),
          chargeMinute: (minute) => {
            events.push(`minute ${minute}`);
            return minute <= minutes ? Promise.resolve() : Promise.reject(new MustEndError('balance'));
          },
          release: (duration, transferTo) => Promise.resolve(void released.push({ duration, transferTo })),
        },
        signal: never,
        closing: never,
        answeredBy,
        earlier,
      }).run();
      const last = released.at(-1);
      if (result) end = result;
      else if (last) {
        end = { status: 'completed', reason: 'transfer', duration: last.duration, messages };
        const chargedMinutes = events.filter((event) => event.startsWith('minute')).length;
        const reason = last.transferTo === undefined ? 'reconnected' : 'transfer-unanswered';
        earlier = { messages, elapsed: last.duration, chargedMinutes, reason };
      }
    },
    onReport: (report) => {
      if (report.type === 'ringing') events.push('ringing');
      else if (report.type === 'unreached') end = { ...end, status: report.reason, reason: report.reason };
      else if (report.type === 'identified') {
        answeredBy = report.by;
        events.push(`answered by ${report.by}`);
        leasedLine?.identify(report.by);
      }
      return Promise.resolve();
    },
    onDisconnected: ({ cause }) => {
      const plan = callPlan({ callId: 1, token: '' });
      const limits = { callerId: '', ringingTime: 30, maxDuration: 600 };
      const step: NextStep =
        cause === 'left'
          ? { type: 'transfer', to: released.at(-1)?.transferTo ?? '', ...limits }
          : cause === 'unanswered' || cause === 'lost'
            ? { type: 'connect', plan }
            : { type: 'hang-up' };
      return Promise.resolve(step);
    },
    onIncoming: () => Promise.resolve({ type: 'refuse', reason: 'rejected' }),
  };
  const carrier = new SimulatedCarrier({ outcomes: weights, secondMs: 0, wait: () => Promise.resolve() });
  carrier.open(handler);
  await carrier.dial({
    ...callPlan({ callId: 1, speech: { ...speechSettings, allowInterruptions } }),
    ...{ from: '', to, ringingTime },
  });
  await carrier.settled();
  const ended: Ended = { ...end, answeredBy };
  return { end: ended, events, lines: end.messages.map(({ role, content }) => `${role}: ${content}`) };
}

/** Starts a conversation on a line whose customer the test controls. */
function converse(
  settings: Partial<CallSettings> = {},
  more: Pick<CallConversationOptions, 'answeredBy' | 'earlier'> = {},
) {
  const line = new ScriptedLine(() => undefined);
  const conversation = new CallConversation({
    line: new LeasedLine(line, 'a lease'),
    settings: { ...callSettings, ...settings },
    speaker: {
      answer: (said) => oneText(`You said: ${said}`),
      startTurn: (reason) => oneText(turnTexts[reason]),
    },
    callStore: {
      saveMessages: () => Promise.resolve(undefined),
      chargeMinute: () => Promise.resolve(),
      release: () => Promise.resolve(),
    },
    ...{ signal: never, closing: never },
    ...more,
  });
  return { line, result: conversation.run() };
}

/** The state of a call that an earlier line left. */
const reconnected = (messages: CallMessage[]): Pick<CallConversationOptions, 'earlier'> => ({
  earlier: { messages, elapsed: 10, chargedMinutes: 1, reason: 'reconnected' },
});

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
      assert.deepEqual([end.status, end.duration, end.messages, end.answeredBy], [status, 0, [], 'unknown']);
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
    for (const [index, { at, seconds }] of end.messages.entries()) {
      const next = end.messages[index + 1]?.at ?? end.duration;
      assert.ok(at >= 0 && at + seconds <= next + 0.01, `line ${index}`);
    }
  });

  test('answers the first words of the person with the initial message if wait_for_customer is true', async () => {
    const { lines } = await call({ waitForCustomer: true });
    assert.deepEqual(lines.slice(0, 2), ['user: Hello?', 'assistant: Hello, this is Kim.']);
  });

  test('answers the first words with the initial message even if it has re-engaged the person before', async () => {
    const { line, result } = converse({ waitForCustomer: true });
    await line.waits(callSettings.reengagementInterval + 1);
    assert.equal(await line.hears(), turnTexts.silence);
    line.says('Hello?');
    assert.equal(await line.hears(), callSettings.initialMessage);
    line.says('What is this about?');
    assert.equal(await line.hears(), 'You said: What is this about?');
    line.hangsUp();
    assert.equal((await result)?.status, 'completed');
  });

  test('has the status ended_by_customer if the person has heard only re-engagement and the initial message', async () => {
    const { line, result } = converse({ waitForCustomer: true });
    await line.waits(callSettings.reengagementInterval + 1);
    assert.equal(await line.hears(), turnTexts.silence);
    line.says('Hello?');
    assert.equal(await line.hears(), callSettings.initialMessage);
    line.hangsUp();
    assert.equal((await result)?.status, 'ended_by_customer');
  });

  test('is completed if the person’s words were answered before the initial message was heard', async () => {
    const { line, result } = converse({ isGreetingRead: true });
    line.talksOver('What is this about?');
    assert.equal(await line.hears(), '');
    assert.equal(await line.hears(), 'You said: What is this about?');
    line.hangsUp();
    assert.equal((await result)?.status, 'completed');
  });

  for (const initialMessage of ['', '👋', '…'])
    test(`waits for the person to speak first if there is nothing to say in the initial message "${initialMessage}"`, async () => {
      const { lines } = await call({ initialMessage });
      assert.deepEqual(lines.slice(0, 2), ['user: Hello?', 'assistant: You said: Hello?']);
    });

  test('has the status ended_by_customer if the person hangs up without a word', async () => {
    const { end } = await call({ to: numbers.hangsUp });
    assert.deepEqual([end.status, end.messages.length], ['ended_by_customer', 1]);
  });

  test('ends after the last words of an assistant that hangs up', async () => {
    const { end, lines } = await call({ reply: () => ({ text: 'Goodbye!', hangUp: true }) });
    assert.equal(end.status, 'ended_by_assistant');
    assert.equal(lines.at(-1), 'assistant: Goodbye!');
    assert.equal(lines.length, 3);
  });

  test('is completed by a transfer', async () => {
    const { end } = await call({ reply: () => ({ text: '', transferTo: '+4930123456' }) });
    assert.deepEqual([end.status, end.reason], ['completed', 'transfer']);
    const calls = end.messages.map(({ functionCalls = [] }) => functionCalls.map(({ name }) => name));
    assert.deepEqual(calls, [[], [], ['call_transfer']]);
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

  test('is charged while the assistant speaks, and ends within a reply if the balance is too low', async () => {
    const { end, events, lines } = await call({ reply: () => ({ text: 'and '.repeat(2000) }), minutes: 2 });
    assert.deepEqual([end.status, end.reason, end.duration], ['ended', 'balance', 120]);
    assert.deepEqual(
      events.filter((event) => event.startsWith('minute')),
      ['minute 1', 'minute 2', 'minute 3'],
    );
    assert.match(lines.at(-1) ?? '', /^assistant: and .* and$/);
  });
});

describe('silence', () => {
  const silent = { to: numbers.silent, initialMessage: 'Hi.' };

  test('leads to re-engagement after each reengagement_interval and ends the call after max_silence_duration', async () => {
    const { end, lines } = await call({ ...silent, reengagementInterval: 10, maxSilence: 35 });
    assert.deepEqual(lines, ['assistant: Hi.', ...[1, 2, 3].map(() => 'assistant: Are you still there?')]);
    assert.deepEqual([end.status, end.reason], ['ended_by_assistant', 'silence']);
    // The assistant's words do not count as silence.
    const spoken = end.messages.reduce((sum, { seconds }) => sum + seconds, 0);
    assert.equal(end.duration, Math.ceil(35 + spoken));
  });

  test('is limited by max_initial_silence_duration until the person speaks', async () => {
    const { end, lines } = await call({ ...silent, maxInitialSilence: 5 });
    assert.equal(lines.length, 1);
    assert.equal(end.duration, 6);
    assert.equal((await call({ maxInitialSilence: 5, waitForCustomer: true })).end.status, 'completed');
  });

  test('is limited by max_silence_duration after a reconnection if the person has spoken before', async () => {
    const messages = ['assistant', 'user'].map((role) => ({ role, content: 'Hello.', at: 0, seconds: 1 }));
    const { line, result } = converse({ maxInitialSilence: 5 }, reconnected(messages as CallMessage[]));
    assert.equal(await line.hears(), turnTexts.reconnected);
    await line.waits(callSettings.reengagementInterval + 1);
    assert.equal(await line.hears(), turnTexts.silence);
    await line.waits(callSettings.maxSilence);
    assert.equal((await result)?.reason, 'silence');
  });
});

describe('an answering machine', () => {
  const machine = { to: numbers.machine };

  test('ends the call', async () => {
    const { end } = await call(machine);
    assert.deepEqual(
      [end.status, end.reason, end.answeredBy, end.messages],
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

describe('a customer who interrupts', () => {
  const interrupting = {
    to: '+4989100170200',
    reply: () => ({ text: 'We have many offers, and each of them is good for you.' }),
  };

  test('stops the assistant, and the transcript has the words that were played', async () => {
    const { lines } = await call(interrupting);
    const index = lines.findIndex((line) => line === 'assistant: We have many');
    assert.ok(index > 0, lines.join('\n'));
    assert.match(lines[index + 1] ?? '', /^user: /);
  });

  test('hears everything if allow_interruptions is false', async () => {
    const { lines } = await call({ ...interrupting, allowInterruptions: false });
    for (const line of lines.slice(2).filter((found) => found.startsWith('assistant')))
      assert.equal(line, 'assistant: We have many offers, and each of them is good for you.');
  });

  test('is not hung up on while saying more', async () => {
    const { end, lines } = await call({
      ...interrupting,
      reply: () => ({ text: 'Thank you very much for your call, and goodbye!', hangUp: true }),
    });
    assert.equal(end.reason, 'end-call');
    assert.equal(lines.filter((line) => line.startsWith('assistant')).length, 3);
  });
});

describe('a fax', () => {
  for (const [answer, to] of [
    ['a person', '+4989100110000'],
    ['a machine', '+4989100110070'],
  ] as const) {
    test(`ends the call without a word if the other digits stand for ${answer}`, async () => {
      const { end, events } = await call({ to, voiceMailMessage: 'Please call back.' });
      assert.deepEqual(
        [end.status, end.reason, end.answeredBy, end.messages],
        ['ended_by_assistant', 'fax', 'fax', []],
      );
      assert.deepEqual(events, ['ringing', 'answered by fax', 'minute 1']);
    });
  }
});

describe('a lost line', () => {
  test('is connected again, and the call continues without charging a minute twice', async () => {
    const { end, lines, events } = await call({
      to: '+4989100130000',
      reply: () => ({ text: 'We have many offers, and each of them is good for you.' }),
    });
    const again = lines.indexOf('assistant: We were interrupted.');
    assert.equal(lines[again - 1], 'assistant: We have many');
    assert.match(lines[again + 1] ?? '', /^user: /);
    assert.deepEqual([end.status, end.reason], ['completed', 'hung-up']);
    assert.equal(events.filter((event) => event === 'minute 1').length, 1);
  });

  const message = (role: CallMessage['role'], content: string, kind?: CallMessage['kind']): CallMessage => ({
    ...{ role, content, at: 0, seconds: 1 },
    ...(kind && { kind }),
  });
  const customerWords = message('user', 'Hello?');
  const greeting = message('assistant', callSettings.initialMessage, 'greeting');

  for (const [said, waitForCustomer, earlier] of [
    ['nothing was said', false, []],
    ['only the customer spoke', false, [customerWords]],
    ['only the customer spoke, with wait_for_customer', true, [customerWords]],
  ] as const) {
    test(`is followed by the initial message if ${said}`, async () => {
      const { line, result } = converse({ waitForCustomer }, reconnected([...earlier]));
      assert.equal(await line.hears(), callSettings.initialMessage);
      line.says('What is this about?');
      assert.equal(await line.hears(), 'You said: What is this about?');
      line.hangsUp();
      await result;
    });
  }

  test('is followed by an apology and, after the customer’s words, the initial message if nothing was said, with wait_for_customer', async () => {
    const { line, result } = converse({ waitForCustomer: true }, reconnected([]));
    assert.equal(await line.hears(), turnTexts.reconnected);
    line.says('Hello?');
    assert.equal(await line.hears(), callSettings.initialMessage);
    line.hangsUp();
    await result;
  });

  test('is followed by an apology if words of the customer were not answered, without an initial message', async () => {
    const { line, result } = converse({ initialMessage: '' }, reconnected([customerWords]));
    assert.equal(await line.hears(), turnTexts.reconnected);
    line.hangsUp();
    await result;
  });

  const voiceMailMessage = 'Please call back.';

  for (const [when, earlier] of [
    ['before anything was said', []],
    ['while the machine’s greeting was played', [message('user', 'Nobody is at home.')]],
    ['during the initial message', [message('assistant', 'Hello, this', 'greeting')]],
    ['during the voicemail message', [greeting, message('assistant', 'Please', 'voicemail')]],
  ] as const) {
    test(`is followed by the voicemail message if it was lost ${when}`, async () => {
      const { line, result } = converse(
        { voiceMailMessage },
        { answeredBy: 'machine', ...reconnected([...earlier]) },
      );
      assert.equal(await line.hears(), voiceMailMessage);
      const { status, reason } = (await result) ?? {};
      assert.deepEqual([status, reason], ['completed', 'voicemail']);
    });
  }

  test('is not followed by the voicemail message if the assistant talks to the machine after it', async () => {
    const { line, result } = converse(
      { voiceMailMessage, endCallOnVoicemail: false },
      {
        answeredBy: 'machine',
        ...reconnected([message('assistant', voiceMailMessage, 'voicemail'), greeting]),
      },
    );
    assert.equal(await line.hears(), turnTexts.reconnected);
    line.hangsUp();
    await result;
  });

  test('ends the call if a fax was detected meanwhile', async () => {
    const { line, result } = converse({}, { answeredBy: 'fax', ...reconnected([greeting]) });
    line.hangsUp();
    assert.equal((await result)?.reason, 'fax');
  });
});

describe('a customer who hangs up while the assistant speaks', () => {
  for (const allowInterruptions of [true, false]) {
    test(`ends the call, and the transcript has the words that were played, if allow_interruptions is ${String(allowInterruptions)}`, async () => {
      const { end, lines } = await call({
        to: '+4989100160000',
        allowInterruptions,
        reply: () => ({ text: 'We have many offers, and each of them is good for you.' }),
      });
      assert.deepEqual([end.status, end.reason], ['completed', 'hung-up']);
      assert.equal(lines.at(-1), 'assistant: We have many');
    });
  }
});

describe('keys', () => {
  test('that the customer presses reach the assistant', async () => {
    const { lines } = await call({ to: '+4989100180000' });
    assert.ok(lines.includes('user: [pressed 1]'), lines.join('\n'));
    assert.ok(lines.includes('assistant: You said: [pressed 1]'));
  });
});

describe('a machine that is found during the call', () => {
  const late = {
    to: '+4989100190070',
    initialMessage: 'Hello, this is Kim of the bakery, and I have a question.',
  };

  test('ends the call', async () => {
    const { end, lines } = await call({ ...late, initialMessage: `${late.initialMessage} `.repeat(3) });
    assert.deepEqual(
      [end.status, end.reason, end.answeredBy],
      ['ended_by_assistant', 'voicemail', 'machine'],
    );
    assert.match(lines.join(), /^assistant: Hello, this is Kim.{0,80}$/);
  });

  test('receives the voicemail message at once', async () => {
    const { end, lines } = await call({ ...late, voiceMailMessage: 'Please call back.' });
    assert.equal(end.status, 'completed');
    assert.equal(lines.at(-1), 'assistant: Please call back.');
  });
});

describe('a transfer', () => {
  test('that is not answered returns the customer to the assistant', async () => {
    let asked = 0;
    const { lines, events } = await call({
      reply: () =>
        asked++ === 0
          ? { text: 'I will connect you.', transferTo: numbers.busy }
          : { text: 'Goodbye!', hangUp: true },
    });
    const back = lines.indexOf('assistant: Nobody answered.');
    assert.equal(lines[back - 1], 'assistant: I will connect you.');
    assert.equal(lines.at(-1), 'assistant: Goodbye!');
    assert.equal(events.filter((event) => event === 'minute 1').length, 1);
  });
});

test('an answer has the time from the end of the customer’s utterance to its first word', async () => {
  const { end } = await call();
  const answers = end.messages.filter(({ role }, index) => role === 'assistant' && index > 0);
  assert.ok(answers.length > 0);
  for (const { responseTime } of answers) assert.equal(responseTime, 0);
});

/** Starts a call whose assistant answers and then calls a tool, which ends when the test says so. */
function startSlowTool(
  more: Partial<Pick<CallConversationOptions, 'closing' | 'signal'>> &
    Partial<CallStore> & { modelFails?: boolean } = {},
) {
  const { closing = never, signal = never, modelFails = false, ...store } = more;
  const tool = Promise.withResolvers<undefined>();
  const line = new ScriptedLine(() => undefined);
  const saved: string[] = [];
  const conversation = new CallConversation({
    line: new LeasedLine(line, 'a lease'),
    settings: callSettings,
    speaker: {
      async *answer() {
        yield { type: 'text', text: 'One moment.' };
        await tool.promise;
        yield { type: 'function_call', call: { name: 'book', arguments: {}, result: 'booked' } };
        if (modelFails) throw new Error('The model has failed.');
      },
      startTurn: () => Promise.reject(new Error('It never speaks unprompted.')) as never,
    },
    callStore: {
      saveMessages: (messages) => Promise.resolve(void saved.push(messages.at(-1)?.content ?? '')),
      chargeMinute: () => Promise.resolve(),
      release: () => Promise.resolve(),
      ...store,
    },
    ...{ signal, closing },
  });
  return { line, saved, tool, result: conversation.run() };
}

test('a tool that runs when the connection is lost does not delay the stop of the process', async () => {
  const closing = new AbortController();
  const { line, saved, result } = startSlowTool({ closing: closing.signal });
  await line.hears();
  line.says('Book me a table.');
  await line.isHearing('One moment.');
  line.lose();
  await until(() => saved.includes('One moment.'));
  closing.abort();
  assert.equal(await result, undefined);
});

for (const [isInterrupted, when] of [
  [false, 'an answer'],
  [true, 'an interruption'],
] as const) {
  test(`a call ends at its limit of minutes while a tool runs after ${when}, and records the tool`, async () => {
    const { line, saved, tool, result } = startSlowTool({
      chargeMinute: (minute) =>
        minute === 1 ? Promise.resolve() : Promise.reject(new MustEndError('minutes-per-day')),
    });
    await line.hears();
    line.says('Book me a table.');
    await line.isHearing('One moment.');
    if (isInterrupted) {
      line.talksOver('For two.');
      await until(() => saved.includes('One moment.'));
    }
    await line.pass(60);
    // The customer does not wait for the tool.
    await until(() => line.actions.includes('hang up'));
    tool.resolve(undefined);
    const { status, reason, messages = [] } = (await result) ?? {};
    assert.deepEqual([status, reason], ['ended', 'minutes-per-day']);
    assert.deepEqual(
      messages.flatMap(({ functionCalls = [] }) => functionCalls.map(({ name }) => name)),
      ['book'],
    );
  });
}

describe('an answer that fails', () => {
  /** Starts an answer that fails; returns the stored messages, too. */
  async function startAnswer(more: Parameters<typeof startSlowTool>[0] = {}) {
    let stored: CallMessage[] = [];
    const started = startSlowTool({
      saveMessages: (messages) => Promise.resolve(void (stored = [...messages])),
      ...more,
    });
    const { line, result } = started;
    await line.hears();
    line.says('Book me a table.');
    await line.isHearing('One moment.');
    const answers = async (error: RegExp) => {
      await assert.rejects(result, error);
      return stored
        .slice(2)
        .map(({ content, functionCalls = [] }) => [content, functionCalls.map(({ name }) => name)]);
    };
    return { ...started, answers };
  }

  test('is stored with its tools if the model fails after a tool', async () => {
    const { tool, answers } = await startAnswer({ modelFails: true });
    tool.resolve(undefined);
    assert.deepEqual(await answers(/The model has failed/), [['One moment.', ['book']]]);
  });

  test('is stored as far as it was heard if the voice fails, and the customer does not wait for its tool', async () => {
    const { line, tool, answers } = await startAnswer();
    line.failsToSpeak(new Error('The voice has failed.'));
    await line.does('hang up');
    tool.resolve(undefined);
    assert.deepEqual(await answers(/The voice has failed/), [
      ['One moment.', []],
      ['', ['book']],
    ]);
  });

  for (const [title, modelFails] of [
    ['the voice', false],
    ['the model', true],
  ] as const) {
    test(`ends the call after two seconds if ${title} fails while the database is not available`, async (context) => {
      const database = Promise.withResolvers<undefined>();
      const storing = Promise.withResolvers<undefined>();
      const saveMessages: CallStore['saveMessages'] = ({ length }) => {
        if (length < 3) return Promise.resolve(undefined);
        storing.resolve(undefined);
        return database.promise;
      };
      const { line, tool, answers } = await startAnswer({ modelFails, saveMessages });
      context.mock.timers.enable({ apis: ['setTimeout'] });
      if (!modelFails) line.failsToSpeak(new Error('The voice has failed.'));
      tool.resolve(undefined);
      await storing.promise;
      assert.ok(!line.hasEnded);
      context.mock.timers.tick(2000);
      await line.does('hang up');
      database.resolve(undefined);
      await answers(/has failed/);
    });
  }

  test('is stored as far as it was heard if the process stops', async () => {
    const stop = new AbortController();
    const { answers } = await startAnswer({ signal: stop.signal, closing: stop.signal });
    stop.abort(new Error('The service is stopping.'));
    assert.deepEqual(await answers(/The service is stopping/), [['One moment.', []]]);
  });

  test('fails the call even if its conversation is full', async () => {
    const saveMessages: CallStore['saveMessages'] = ({ length }) =>
      Promise.resolve(length === 3 ? 'conversation-ended' : undefined);
    const { tool, answers } = await startAnswer({ modelFails: true, saveMessages });
    tool.resolve(undefined);
    await answers(/The model has failed/);
  });
});

test('a customer does not wait for a charge if the model fails', async () => {
  const line = new ScriptedLine(() => undefined);
  const charge = Promise.withResolvers<undefined>();
  let charges = 0;
  const conversation = new CallConversation({
    line: new LeasedLine(line, 'a lease'),
    settings: callSettings,
    speaker: {
      async *answer() {
        yield await Promise.reject(new Error('The model has failed.'));
      },
      startTurn: () => Promise.reject(new Error('It never speaks unprompted.')) as never,
    },
    callStore: {
      saveMessages: () => Promise.resolve(undefined),
      chargeMinute: () => (++charges === 1 ? Promise.resolve() : charge.promise),
      release: () => Promise.resolve(),
    },
    ...{ signal: never, closing: never },
  });
  const result = conversation.run();
  await line.hears();
  const passed = line.pass(60);
  await until(() => charges === 2);
  line.says('Book me a table.');
  await assert.rejects(result);
  charge.resolve(undefined);
  await passed;
});
