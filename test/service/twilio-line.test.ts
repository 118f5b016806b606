import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RelayLine } from '../../src/service/carrier/twilio/relay-line.ts';
import type { CallPlan } from '../../src/service/carrier/carrier.ts';
import type { Line, LineEvent, Spoken } from '../../src/service/voice/line.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeRelay } from '../support/twilio/fake-relay.ts';
import type { FakeTwilioCall } from '../support/twilio/fake-twilio-call.ts';
import { never, outgoing, startCarrier, to, tokens } from '../support/twilio/carrier-under-test.ts';

const { twilio, service, carrier } = await startCarrier();

const minute = 60;
let calls = 0;

/** Makes a call that the customer answers, and runs its conversation. */
async function converse<Result>(
  conversation: (line: Line) => Promise<Result>,
  {
    speech = {},
    speaking = {},
  }: { speech?: Partial<CallPlan['speech']>; speaking?: Partial<FakeRelay['speaking']> } = {},
): Promise<{ call: FakeTwilioCall; relay: FakeRelay; result: Promise<Result> }> {
  const finished = Promise.withResolvers<Result>();
  service.converse = (line) => conversation(line).then(finished.resolve, finished.reject);
  twilio.speaking = { mode: 'at-once', reports: true, ...speaking };
  await carrier.dial({ ...outgoing, speech: { ...outgoing.speech, ...speech } });
  calls += 1;
  const call = await twilio.call(to, calls);
  await call.answer();
  return { call, relay: await call.connected(), result: finished.promise };
}

const say = (line: Line, ...list: Parameters<typeof tokens>) => line.say(tokens(...list), minute, never);
const withoutTimes = ({ played, cutOffBy }: Spoken) => ({ played, cutOffBy });
const isText = (text: string) => (frame: { type: string }) =>
  frame.type === 'text' && (frame as { token?: string }).token === text;

test('greets, answers the customer, and hangs up after its last words', async () => {
  const { call, relay, result } = await converse(async (line) => {
    const greeting = await say(line, 'Hello, this is ', 'Ada.');
    const event = await line.next(minute, never);
    const reply = await say(line, 'We open ', 'at nine. ', 'Goodbye!');
    await line.hangUp();
    return { greeting, event, reply };
  });
  await relay.hears('Hello, this is Ada.');
  relay.say('When do you open?');
  await relay.hears('We open at nine. Goodbye!');
  await call.over();

  const { greeting, event, reply } = await result;
  assert.deepEqual(withoutTimes(greeting), { played: 'Hello, this is Ada.', cutOffBy: undefined });
  assert.deepEqual(withoutTimes(reply), { played: 'We open at nine. Goodbye!', cutOffBy: undefined });
  assert.equal(event?.type === 'said' && event.text, 'When do you open?');
  assert.ok((greeting.startedAt ?? 0) < (reply.startedAt ?? 0));
  assert.deepEqual(
    service.reports.map(({ type }) => type),
    ['ended'],
  );
  assert.deepEqual(service.disconnections, []);
  assert.deepEqual([call.problems, relay.problems], [[], []]);
});

test('sends tokens unchanged, and marks the end of the text', async () => {
  const { relay, call } = await converse(async (line) => {
    await say(line, ' One', '', ' two ', '\nthree');
    await line.hangUp();
  });
  await call.over();
  assert.deepEqual(relay.frames.slice(0, -1), [
    { type: 'text', token: ' One', last: false },
    { type: 'text', token: ' two ', last: false },
    { type: 'text', token: '\nthree', last: false },
    { type: 'text', token: '', last: true },
  ]);
});

test('sends nothing for an empty text', async () => {
  const { call, relay, result } = await converse(async (line) => {
    const spoken = await say(line);
    await line.hangUp();
    return spoken;
  });
  await call.over();
  assert.deepEqual(await result, { played: '', startedAt: undefined });
  assert.deepEqual(
    relay.frames.map(({ type }) => type),
    ['end'],
  );
});

describe('an interruption', () => {
  test('stops speech and text immediately, and returns the heard part', async () => {
    const later = Promise.withResolvers<string>();
    let isStopped = false;
    async function* text() {
      try {
        yield 'We open at nine, ';
        yield 'and close at five. ';
        yield await later.promise;
      } finally {
        isStopped = true;
      }
    }
    const { call, relay, result } = await converse(
      async (line) => {
        const spoken = await line.say(text(), minute, never);
        const event = await line.next(minute, never);
        await line.hangUp();
        return { spoken, event };
      },
      { speaking: { mode: 'by-hand' } },
    );
    await relay.receives('the second token', isText('and close at five. '));
    relay.play('We open at nine, ');
    relay.interrupt('We open at nine, and');
    relay.say('And on Sundays?');
    await relay.receives('the end of the text', isText(''));
    later.resolve('Never spoken.');

    const { spoken, event } = await result;
    assert.deepEqual(withoutTimes(spoken), { played: 'We open at nine, and', cutOffBy: 'customer' });
    assert.equal(event?.type === 'said' && event.text, 'And on Sundays?');
    await eventually(
      () => 'the model to stop',
      () => isStopped || undefined,
    );
    assert.equal(relay.frames.some(isText('Never spoken.')), false);
    await call.over();
    assert.deepEqual(relay.problems, []);
  });

  test('is located in the text if the relay reports only the last sentence', async () => {
    const { relay, result } = await converse((line) => say(line, 'One. ', 'Two three. ', 'Four.'), {
      speaking: { mode: 'by-hand' },
    });
    await relay.receives('all text', isText(''));
    relay.play('One. ');
    relay.interrupt('two');
    assert.deepEqual(withoutTimes(await result), { played: 'One. Two', cutOffBy: 'customer' });
  });

  test('needs the minimum number of words', async () => {
    const { call, relay, result } = await converse(
      async (line) => {
        const spoken = await say(line, 'We open at nine ', 'and close at five.');
        const events: (LineEvent | undefined)[] = [await line.next(minute, never)];
        events.push(await line.next(minute, never));
        await line.hangUp();
        return { spoken, events };
      },
      { speech: { minInterruptWords: 3 }, speaking: { mode: 'by-hand' } },
    );
    await relay.receives('all text', isText(''));
    relay.play('We open at nine ');
    relay.say('Oh okay');
    relay.say('But what', { last: false });
    relay.say('But what about', { last: false });
    await relay.receives('the silence that replaces the speech', ({ type }) => type === 'play');
    relay.say('But what about Sundays?');
    const { spoken, events } = await result;
    assert.deepEqual(withoutTimes(spoken), { played: 'We open at nine', cutOffBy: 'customer' });
    assert.deepEqual(
      events.map((event) => event?.type === 'said' && event.text),
      ['Oh okay', 'But what about Sundays?'],
    );
    await call.over();
    assert.deepEqual(relay.problems, []);
  });
});

test('stops the speech when its time is over', async () => {
  const { relay, result } = await converse((line) => line.say(tokens('A very long story.'), 0.05, never), {
    speaking: { mode: 'by-hand' },
  });
  await relay.receives('the silence that replaces the speech', ({ type }) => type === 'play');
  assert.deepEqual(withoutTimes(await result), { played: '', cutOffBy: 'time' });
});

test('stops the speech when it is aborted', async () => {
  const stop = new AbortController();
  const { relay, result } = await converse(
    (line) => line.say(tokens('A very long story.'), minute, stop.signal),
    { speaking: { mode: 'by-hand' } },
  );
  await relay.receives('the story', isText(''));
  stop.abort(new Error('enough'));
  assert.equal((await result).cutOffBy, 'signal');
  await relay.receives('the silence that replaces the speech', ({ type }) => type === 'play');
});

test('estimates when the words were heard if the relay reports nothing', async () => {
  const { call, result } = await converse(
    async (line) => {
      const from = line.now;
      const spoken = await say(line, 'Hello there.');
      const until = line.now;
      await line.hangUp();
      return { spoken, seconds: until - from };
    },
    { speaking: { reports: false } },
  );
  const { spoken, seconds } = await result;
  assert.deepEqual(withoutTimes(spoken), { played: 'Hello there.', cutOffBy: undefined });
  assert.ok(seconds > 0.7, `heard after ${seconds} s`);
  assert.ok(spoken.startedAt !== undefined);
  await call.over();
});

test('waits for the last words, even if the relay pauses between sentences', async () => {
  let isHeard = false;
  const last = Promise.withResolvers<string>();
  const { relay, result } = await converse(
    async (line) => {
      const spoken = await say(line, 'One. ', last.promise);
      isHeard = true;
      return spoken;
    },
    { speaking: { mode: 'by-hand' } },
  );
  await relay.receives('the first token', isText('One. '));
  relay.play('One. ');
  relay.send({ type: 'info', name: 'agentSpeaking', value: 'off' });
  last.resolve('Two.');
  await relay.receives('the end of the text', isText(''));
  relay.play('Two.');
  relay.press('5');
  assert.equal(isHeard, false);
  relay.send({ type: 'info', name: 'agentSpeaking', value: 'off' });
  assert.deepEqual(withoutTimes(await result), { played: 'One. Two.', cutOffBy: undefined });
});

test('receives and sends keys', async () => {
  const { call, relay, result } = await converse(async (line) => {
    const event = await line.next(minute, never);
    await line.sendDigits('12w#');
    await line.hangUp();
    return event;
  });
  relay.press('#');
  assert.deepEqual(await result, { type: 'dtmf', digit: '#' });
  await call.over();
  assert.deepEqual(relay.frames, [
    { type: 'sendDigits', digits: '12w#' },
    { type: 'end', handoffData: '{"step":"hang-up"}' },
  ]);
});

test('changes to the customer’s language if it is one of the assistant’s', async () => {
  const { call, relay } = await converse(
    async (line) => {
      for (let count = 0; count < 4; count++) await line.next(minute, never);
      await line.hangUp();
    },
    { speech: { otherLanguages: ['de', 'ar'] } },
  );
  for (const lang of ['en', 'de', 'fr', 'de-DE'])
    relay.send({ type: 'prompt', voicePrompt: 'Taxi', lang, last: true });
  await call.over();
  assert.deepEqual(relay.frames, [
    { type: 'language', ttsLanguage: 'de-DE' },
    { type: 'end', handoffData: '{"step":"hang-up"}' },
  ]);
});

test('keeps its language if the assistant has no other', async () => {
  const { call, relay } = await converse(async (line) => {
    await line.next(minute, never);
    await line.hangUp();
  });
  relay.send({ type: 'prompt', voicePrompt: 'Taxi', lang: 'de-DE', last: true });
  await call.over();
  assert.deepEqual(relay.frames, [{ type: 'end', handoffData: '{"step":"hang-up"}' }]);
});

describe('Markdown', () => {
  test('is not spoken, but kept in the heard text', async () => {
    const written = 'We are **open** until `20:00`. See [our menu](https://shop.example/menu). Bye!';
    const { call, relay, result } = await converse(async (line) => {
      const spoken = await say(line, ...written.split(/(?<=[ *])/));
      await line.hangUp();
      return spoken;
    });
    await relay.hears('We are open until 20:00. See our menu. Bye!');
    await call.over();
    assert.deepEqual(withoutTimes(await result), { played: written, cutOffBy: undefined });
  });

  test('is kept in the text that was heard before an interruption', async () => {
    const { call, relay, result } = await converse(
      async (line) => {
        const spoken = await say(line, 'We are **open** until eight. ', '**Always** on Sundays. ', 'Bye!');
        await line.hangUp();
        return spoken;
      },
      { speaking: { mode: 'by-hand' } },
    );
    await relay.receives('the text', isText('Bye!'));
    relay.interrupt('We are open until eight. Always on');
    await call.over();
    assert.deepEqual(withoutTimes(await result), {
      played: 'We are **open** until eight. Always on',
      cutOffBy: 'customer',
    });
  });

  test('does not delay plain words', async () => {
    const rest = Promise.withResolvers<string>();
    const { call, relay, result } = await converse(async (line) => {
      const spoken = await say(line, 'We open at ', rest.promise);
      await line.hangUp();
      return spoken;
    });
    await relay.receives('the first words', isText('We open at '));
    rest.resolve('9 - or 10.\n1. Monday\n2. Tuesday');
    await relay.hears(/^We open at 9 - or 10\.\s+1\.\s+Monday\.?\s+2\.\s+Tuesday\.?$/);
    await call.over();
    assert.match((await result).played, /10\.\n1\. Monday\n2\. Tuesday$/);
  });
});

test('returns undefined if nothing happens in time', async () => {
  const { call, result } = await converse(async (line) => {
    const event = await line.next(0.02, never);
    await line.hangUp();
    return event;
  });
  assert.equal(await result, undefined);
  await call.over();
});

test('measures how long the customer spoke', async () => {
  const { relay, result } = await converse((line) => line.next(minute, never));
  relay.send({ type: 'info', name: 'clientSpeaking', value: 'on' });
  relay.send({ type: 'info', name: 'clientSpeaking', value: 'off' });
  relay.say('A sentence that would take some seconds to say at any usual speed.');
  const event = await result;
  assert.ok(event?.type === 'said' && event.seconds < 1, JSON.stringify(event));
});

/** Creates a line without a relay. */
const createLine = () => {
  const settings = { speed: 1, interruptingWords: 0, languages: ['en'] };
  return new RelayLine({ send: () => undefined, closeSoon: () => undefined }, settings, '');
};

describe('the time when the customer was last heard', () => {
  const report = (line: RelayLine, value: 'on' | 'off') => {
    line.receive({ type: 'info', name: 'clientSpeaking', value });
  };

  test('is set by any sound', () => {
    const line = createLine();
    const spokeAt = () => line.customerSpokeAt;
    assert.equal(spokeAt(), undefined);
    report(line, 'on');
    const { now } = line;
    assert.ok((spokeAt() ?? 0) >= now);
    report(line, 'off');
    const until = spokeAt();
    assert.ok(until !== undefined && line.now > until);
    assert.equal(spokeAt(), until);
  });

  test('is set by a partial transcript', () => {
    const line = createLine();
    line.receive({ type: 'prompt', voicePrompt: 'I would like', last: false });
    assert.ok(line.customerSpokeAt !== undefined);
  });
});

describe('the end of a line', () => {
  test('is caused by the customer who hangs up', async () => {
    const { call, result } = await converse((line) => line.next(minute, never));
    await call.hangUp();
    assert.deepEqual(await result, { type: 'ended', by: 'customer' });
  });

  test('is caused by the connection if it is lost', async () => {
    const { call, relay, result } = await converse((line) => line.next(minute, never));
    relay.drop();
    assert.deepEqual(await result, { type: 'ended', by: 'connection' });
    await call.over();
    assert.equal(service.disconnections.at(-1)?.cause, 'lost');
  });

  test('cuts off the speech', async () => {
    const { call, relay, result } = await converse((line) => say(line, 'We open ', 'at nine.'), {
      speaking: { mode: 'by-hand' },
    });
    await relay.receives('the text', isText(''));
    relay.play('We open ');
    await call.hangUp();
    assert.deepEqual(withoutTimes(await result), { played: 'We open', cutOffBy: 'end' });
  });

  test('is yielded after all words of the customer', async () => {
    const { call, relay, result } = await converse(async (line) => {
      await line.next(minute, never);
      return [await line.next(minute, never), await line.next(minute, never), await line.next(0, never)];
    });
    relay.say('One');
    relay.say('Two');
    await call.hangUp();
    const events = await result;
    assert.deepEqual(
      events.map((event) => event?.type),
      ['said', 'ended', 'ended'],
    );
  });

  test('stops its clock', ({ mock }) => {
    let seconds = 0;
    mock.method(performance, 'now', () => seconds * 1000);
    const line = createLine();
    seconds = 2;
    line.close('customer');
    seconds = 540;
    // The connection is closed after the call.
    line.close('connection');
    assert.equal(line.now, 2);
  });

  test('makes later commands do nothing', async () => {
    const { call, relay, result } = await converse(async (line) => {
      await line.hangUp();
      await line.hangUp();
      await line.sendDigits('1');
      return say(line, 'Nobody hears this.');
    });
    assert.deepEqual(withoutTimes(await result), { played: '', cutOffBy: 'end' });
    await call.over();
    assert.equal(relay.frames.length, 1);
  });
});
