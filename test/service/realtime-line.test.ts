import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { pino } from 'pino';
import type { EngineTool } from '../../src/service/engine/engine.ts';
import { BufferedReply } from '../../src/service/call/speech/buffered-reply.ts';
import { RealtimeLine } from '../../src/service/realtime/realtime-line.ts';
import { RealtimeSession } from '../../src/service/realtime/realtime-session.ts';
import type { ConversationItem } from '../../src/service/realtime/realtime-session.ts';
import type { AmbientSound } from '../../src/service/voice/ambience/ambient-sound.ts';
import type { SpeakerOptions } from '../../src/service/voice/line.ts';
import type { Synthesizer } from '../../src/service/voice/synthesizer.ts';
import { speechSettings } from '../support/calls/call-plan.ts';
import { MemoryPeer } from '../support/calls/memory-peer.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { until } from '../support/until.ts';

const rate = 16_000;
const never = new AbortController().signal;
const log = pino({ level: 'silent' });

const sound = (seconds: number, amplitude: number) =>
  Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * 440 * index) / rate)),
  );
const voice = (seconds: number) => sound(seconds, 8000);
const silence = (seconds: number) => sound(seconds, 20);

// eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of an assistant's greeting
async function* text(words: string) {
  yield words;
}

const weather: EngineTool = {
  name: 'weather',
  description: 'The weather in a town.',
  isPrivate: true,
  parameters: [{ name: 'town', type: 'string', description: 'Its name', required: true }],
  run: ({ town }) => Promise.resolve({ result: { town, sky: 'clear' } }),
};

type Usage = Parameters<SpeakerOptions['recordUsage']>[0];

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function connect({
  minInterruptWords = 0,
  allowInterruptions = true,
  voice,
  ambientSound,
  isPaced = ambientSound !== undefined,
  isGreetingDue = false,
  tool = weather,
  history = [
    { role: 'user', content: 'Good evening.' },
    { role: 'assistant', content: 'Good evening to you.' },
  ],
}: {
  minInterruptWords?: number;
  allowInterruptions?: boolean;
  voice?: Synthesizer;
  ambientSound?: AmbientSound;
  isPaced?: boolean;
  isGreetingDue?: boolean;
  tool?: EngineTool;
  history?: SpeakerOptions['history'];
} = {}) {
  const endpoint = await RealtimeEndpoint.open();
  opened.push(endpoint);
  const { baseUrl, key: apiKey } = endpoint;
  const speech = { ...speechSettings, allowInterruptions, minInterruptWords, ambientSound };
  const peer = new MemoryPeer(rate, { isPaced });
  const control = { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() };
  const line = new RealtimeLine({
    ...{ peer, settings: speech, control, log, transcriptionModel: 'whisper', voice },
    endpoint: { baseUrl, apiKey, model: 'kind-1', voices: [] },
  });
  const turnInstructions = {
    ...{ silence: 'Ask whether they are there.', reconnected: 'Apologize.' },
    'transfer-unanswered': 'Say so.',
  };
  const usages: Usage[] = [];
  const speaker = await line.openSpeaker({
    ...{ instructions: 'You are kind.', turnInstructions, tools: [tool], replyMs: 10_000, isGreetingDue },
    recordUsage: (usage) => usages.push(usage),
    history,
  });
  opened.push({
    close: () => {
      line.close('connection');
    },
  });
  return { endpoint, peer, line, speaker, usages };
}

type Connected = Awaited<ReturnType<typeof connect>>;

/** The customer says something, and pauses. */
function say({ endpoint, peer }: Connected, ...words: (string | undefined)[]): void {
  for (const each of words) {
    endpoint.words.push(each);
    peer.receive(silence(0.5));
    peer.receive(voice(0.6));
    peer.receive(silence(1));
  }
}

async function hear({ line }: Connected) {
  const event = await line.next(10, never);
  assert.equal(event?.type, 'said');
  return event.text;
}

function answer({ line, speaker }: Connected, said: string) {
  const reply = new BufferedReply((stopped) => speaker.answer(said, [], stopped));
  return { reply, spoken: line.say(reply.text(), 60, never) };
}

/** The texts of the messages in the model's conversation. */
const textsOf = (items: ConversationItem[]) =>
  items.flatMap((item) => {
    const content = item.type === 'message' ? item.content[0] : undefined;
    if (!content) return [];
    return ('text' in content ? content.text : 'transcript' in content && content.transcript) || '';
  });

describe('a call with a realtime model', () => {
  it('lets the model speak the greeting word for word', async () => {
    const call = await connect();
    const { played, startedAt } = await call.line.say(text('Welcome to the flower shop.'), 60, never);
    assert.equal(played.trim(), 'Welcome to the flower shop.');
    assert.notEqual(startedAt, undefined);
    // Five words of 0.2 seconds.
    assert(Math.abs(call.peer.played / rate - 1) < 0.05, String(call.peer.played));
  });

  it('plays the ambient sound of the assistant', async () => {
    const { peer } = await connect({ ambientSound: { name: 'cafe', volume: 1 } });
    assert(peer.advance(1).some((sample) => sample > 100));
  });

  it('transcribes the customer, and answers by voice and text', async () => {
    const call = await connect();
    say(call, 'Do you sell tulips?');
    assert.equal(await hear(call), 'Do you sell tulips?');
    const { played } = await answer(call, 'Do you sell tulips?').spoken;
    assert.equal(played.trim(), 'You said: Do you sell tulips?');
  });

  it('sends the settings of the assistant to the model, and requests each answer itself', async () => {
    const { endpoint } = await connect();
    assert.equal(endpoint.settings?.instructions, 'You are kind.');
    assert.deepEqual(endpoint.settings.audio?.input?.turn_detection, {
      ...{ type: 'server_vad', silence_duration_ms: 900, threshold: 0.55, prefix_padding_ms: 300 },
      ...{ create_response: false, interrupt_response: false },
    });
    assert.equal(endpoint.settings.tools?.length, 1);
  });

  it('sends the model the messages from before the call', async () => {
    const call = await connect();
    call.endpoint.answer = ({ items }) => ({
      text: items.flatMap((item) => (item.type === 'message' ? item.role : [])).join(' '),
    });
    assert.equal((await answer(call, 'Hello?').spoken).played.trim(), 'user assistant user');
  });

  it('sends the model the functions that ran before the call, with their results', async () => {
    const booking = { name: 'book', arguments: { at: 7 }, result: { table: 4 } };
    const { endpoint } = await connect({
      history: [
        { role: 'user', content: 'Book me a table.' },
        { role: 'assistant', content: '', functionCalls: [booking] },
        {
          role: 'assistant',
          content: 'Done.',
          functionCalls: [{ name: 'page', arguments: {}, client: true }],
        },
      ],
    });
    await endpoint.until((event) => 'item' in event && textsOf([event.item]).includes('Done.'));
    const items = endpoint.received.flatMap((event) => ('item' in event ? [event.item] : []));
    assert.deepEqual(
      items.map(({ type }) => type),
      ['message', 'function_call', 'function_call_output', 'message'],
    );
    const [, called, returned] = items;
    assert(called?.type === 'function_call' && returned?.type === 'function_call_output');
    assert.deepEqual([called.name, called.arguments, returned.output], ['book', '{"at":7}', '{"table":4}']);
    assert.equal(called.call_id, returned.call_id);
  });

  it('addresses a silent customer with the instructions for silence', async () => {
    const { endpoint, line, speaker } = await connect();
    endpoint.answer = ({ instructions }) => ({ text: instructions });
    const reply = new BufferedReply((stopped) => speaker.startTurn('silence', [], stopped));
    const { played } = await line.say(reply.text(), 60, never);
    assert.equal(played.trim(), 'You are kind.\n\nAsk whether they are there.');
  });

  it('runs a function that the model calls, and speaks the answer to its result', async () => {
    const call = await connect();
    call.endpoint.answer = ({ items }) => {
      const last = items.at(-1);
      return last?.type === 'function_call_output'
        ? { text: `The result is ${last.output}` }
        : { call: { name: 'weather', arguments: { town: 'Ulm' } } };
    };
    say(call, 'How is the weather in Ulm?');
    const said = await hear(call);
    const { reply, spoken } = answer(call, said);
    assert.equal((await spoken).played.trim(), 'The result is {"town":"Ulm","sky":"clear"}');
    const result = { town: 'Ulm', sky: 'clear' };
    assert.deepEqual(reply.functionCalls, [
      { name: 'weather', arguments: { town: 'Ulm' }, result, private: true },
    ]);
  });

  it('runs at most 16 functions in one answer', async () => {
    const call = await connect();
    call.endpoint.answer = ({ items }) =>
      items.filter(({ type }) => type === 'function_call_output').length >= 20
        ? { text: 'That is enough.' }
        : { call: { name: 'weather', arguments: { town: 'Ulm' } }, times: 10 };
    say(call, 'How is the weather in Ulm?');
    const { reply, spoken } = answer(call, await hear(call));
    assert.equal((await spoken).played.trim(), 'That is enough.');
    assert.equal(reply.functionCalls.length, 16);
  });

  it('does not run the functions of an interrupted answer', async () => {
    const call = await connect();
    const canceled = Promise.withResolvers<undefined>();
    call.endpoint.answer = () => ({
      ...{ call: { name: 'weather', arguments: { town: 'Ulm' } } },
      until: canceled.promise,
    });
    say(call, 'How is the weather in Ulm?');
    const { reply, spoken } = answer(call, await hear(call));
    await call.endpoint.until(({ type }) => type === 'response.create');
    call.endpoint.answer = () => ({ text: 'Ulm or Bonn?' });
    say(call, 'In Bonn, I mean.');
    assert.equal((await spoken).cutOffBy, 'customer');
    await call.endpoint.until(({ type }) => type === 'response.cancel');
    canceled.resolve(undefined);
    assert.equal((await answer(call, await hear(call)).spoken).played.trim(), 'Ulm or Bonn?');
    assert.deepEqual(reply.functionCalls, []);
    const isResult = ({ type }: { type: string }) => type === 'function_call_output';
    assert(!call.endpoint.received.some((event) => 'item' in event && isResult(event.item)));
  });

  it('does not run the functions of an answer that was complete just before it was interrupted', async () => {
    const call = await connect();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<ConversationItem[]>();
    call.endpoint.answer = () => {
      call.endpoint.answer = ({ items }) => {
        asked.resolve([...items]);
        return { text: 'Ulm or Bonn?' };
      };
      return { call: { name: 'weather', arguments: { town: 'Ulm' } }, until: promise };
    };
    const { reply } = answer(call, 'How is the weather in Ulm?');
    await call.endpoint.until(({ type }) => type === 'response.create');
    resolve(undefined);
    call.line.interrupt();
    reply.stop();
    await reply.untilEnd(never);
    await answer(call, 'In Bonn, I mean.').spoken;
    assert.deepEqual(reply.functionCalls, []);
    assert(!(await asked.promise).some(({ type }) => type === 'function_call'));
  });

  it('yields the call of a function that was running when the answer was interrupted', async () => {
    const running = Promise.withResolvers<undefined>();
    const done = Promise.withResolvers<{ result: unknown }>();
    const run = () => {
      running.resolve(undefined);
      return done.promise;
    };
    const call = await connect({ tool: { ...weather, run } });
    call.endpoint.answer = ({ items }) =>
      items.some(({ type }) => type === 'function_call_output')
        ? { text: 'It is sunny.' }
        : { call: { name: 'weather', arguments: { town: 'Ulm' } } };
    const { reply, spoken } = answer(call, 'How is the weather in Ulm?');
    await running.promise;
    call.line.interrupt();
    assert.equal((await spoken).cutOffBy, 'customer');
    reply.stop();
    const ended = reply.untilEnd(never);
    done.resolve({ result: { sky: 'clear' } });
    await ended;
    assert.deepEqual(reply.functionCalls, [
      { name: 'weather', arguments: { town: 'Ulm' }, result: { sky: 'clear' }, private: true },
    ]);
    assert.equal((await answer(call, 'Hello?').spoken).played, 'It is sunny.');
    // The interrupted answer requested no second response.
    assert.equal(call.endpoint.received.filter(({ type }) => type === 'response.create').length, 2);
  });

  it('yields the call of a function that has run beside one that failed', async () => {
    let count = 0;
    const run = () =>
      count++ === 0
        ? Promise.reject(new Error('The database is not available.'))
        : Promise.resolve({ result: { sky: 'clear' } });
    const call = await connect({ tool: { ...weather, run } });
    call.endpoint.answer = () => ({ call: { name: 'weather', arguments: { town: 'Ulm' } }, times: 2 });
    const { reply, spoken } = answer(call, 'How is the weather in Ulm?');
    await spoken;
    await reply.untilEnd(never);
    assert.match(reply.error?.message ?? '', /database/);
    assert.deepEqual(
      reply.functionCalls.map(({ result }) => result),
      [{ sky: 'clear' }],
    );
  });

  it('continues after an error of the model that does not concern the answer', async () => {
    const call = await connect();
    call.endpoint.answer = () => {
      call.endpoint.report('The audio is shorter than that.');
      return { text: 'Yes, we do.' };
    };
    say(call, 'Do you sell tulips?');
    assert.equal((await answer(call, await hear(call)).spoken).played.trim(), 'Yes, we do.');
  });

  it('ignores messages that are not valid events', async () => {
    const call = await connect();
    call.endpoint.answer = () => {
      for (const event of ['error', 'response.output_audio.delta', 'response.done', 'unknown', 7])
        call.endpoint.send(JSON.stringify({ type: event }));
      for (const text of ['', 'null', '[]', 'no JSON', '{}']) call.endpoint.send(text);
      const transcription = 'conversation.item.input_audio_transcription.completed';
      call.endpoint.send(JSON.stringify({ type: transcription, item_id: 'said_1' }));
      return { text: 'Yes, we do.' };
    };
    say(call, 'Do you sell tulips?');
    assert.equal((await answer(call, await hear(call)).spoken).played.trim(), 'Yes, we do.');
  });

  it('fails immediately if the model refuses to answer', async () => {
    const call = await connect();
    call.endpoint.answer = () => ({ refused: true });
    say(call, 'Do you sell tulips?');
    const { error } = await answer(call, await hear(call)).spoken;
    assert.equal(error?.message, 'The voice model could not answer.');
  });

  it('stops when the customer speaks, and truncates the answer in the model’s history', async () => {
    const call = await connect();
    call.peer.holdMarksFrom = 1;
    const saying = call.line.say(text('one two three four five six seven eight nine ten'), 60, never);
    await call.peer.held.promise;
    say(call, 'Stop.');
    const { played, cutOffBy } = await saying;
    assert.equal(cutOffBy, 'customer');
    assert(played.length < 'one two three four five six seven eight nine ten'.length, played);
    assert.equal(call.peer.flushes, 1);
    await call.endpoint.until(({ type }) => type === 'conversation.item.truncate');
  });

  it('counts only what was heard of an answer that a tool divides into two', async (context) => {
    const call = await connect({ isPaced: true });
    const start = performance.now();
    let milliseconds = 0;
    context.mock.method(performance, 'now', () => start + milliseconds);
    const ran = Promise.withResolvers<undefined>();
    call.endpoint.answer = ({ items }) =>
      items.at(-1)?.type === 'function_call_output'
        ? { text: 'It is sunny in Ulm and warm.' }
        : { text: 'One moment.', call: { name: 'weather', arguments: { town: 'Ulm' } }, until: ran.promise };
    say(call, 'How is the weather in Ulm?');
    const { spoken } = answer(call, await hear(call));
    await until(() => call.peer.played >= 0.38 * rate);
    call.peer.advance(1);
    milliseconds += 5000;
    ran.resolve(undefined);
    await until(() => call.peer.played >= 1.75 * rate);
    call.peer.advance(0.58);
    milliseconds += 580;
    call.line.interrupt();
    assert.deepEqual(await spoken, {
      ...{ played: 'One moment. It is sunny', cutOffBy: 'customer', startedAt: (await spoken).startedAt },
    });
    await call.endpoint.until(
      (event) =>
        event.type === 'conversation.item.truncate' &&
        event.audio_end_ms === 580 &&
        /^item_response_/.test(event.item_id),
    );
  });

  it('removes what the model said after the interruption from its history', async (context) => {
    const call = await connect({ isPaced: true });
    const start = performance.now();
    let milliseconds = 0;
    context.mock.method(performance, 'now', () => start + milliseconds);
    const asked = Promise.withResolvers<string[]>();
    call.endpoint.answer = ({ items }) => {
      if (textsOf(items).at(-1) === 'Hello?') asked.resolve(textsOf(items));
      return items.at(-1)?.type === 'function_call_output'
        ? { text: 'It is sunny in Ulm.' }
        : { text: 'One moment please.', call: { name: 'weather', arguments: { town: 'Ulm' } } };
    };
    say(call, 'How is the weather in Ulm?');
    const { spoken } = answer(call, await hear(call));
    // Both texts have arrived when the customer interrupts the first one.
    await until(() => call.peer.played >= 1.58 * rate);
    call.peer.advance(0.3);
    milliseconds += 300;
    call.line.interrupt();
    await spoken;
    say(call, 'Hello?');
    answer(call, await hear(call));
    assert.deepEqual((await asked.promise).slice(2), [
      ...['How is the weather in Ulm?', 'One moment please.', 'Hello?'],
    ]);
  });

  it('lets the customer interrupt with a single word while a tool runs', async () => {
    const running = Promise.withResolvers<undefined>();
    const run = () => {
      running.resolve(undefined);
      return new Promise<never>(() => undefined);
    };
    const call = await connect({ isPaced: true, minInterruptWords: 3, tool: { ...weather, run } });
    call.endpoint.answer = () => ({
      ...{ text: 'One moment. ', call: { name: 'weather', arguments: { town: 'Ulm' } } },
    });
    say(call, 'How is the weather in Ulm?');
    const { spoken } = answer(call, await hear(call));
    await running.promise;
    await until(() => call.peer.played >= 0.4 * rate);
    call.peer.advance(1);
    say(call, 'Stop.');
    const { played, cutOffBy } = await spoken;
    assert.deepEqual([played.trim(), cutOffBy], ['One moment.', 'customer']);
    assert.equal(await hear(call), 'Stop.');
  });

  it('pauses when the customer makes a sound, and resumes if it contained no words', async () => {
    const call = await connect({ isPaced: true });
    const { promise: transcribing, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = transcribing;
    const saying = call.line.say(text('one two three four five'), 60, never);
    await until(() => call.peer.played >= rate);
    call.peer.advance(0.5);
    say(call, '');
    await until(() => call.peer.isPaused);
    await call.endpoint.until(() => call.endpoint.words.length === 0);
    transcribe(undefined);
    await call.endpoint.until(({ type }) => type === 'conversation.item.delete');
    await until(() => !call.peer.isPaused);
    call.peer.advance(1);
    const { played, cutOffBy } = await saying;
    assert.deepEqual([played.trim(), cutOffBy], ['one two three four five', undefined]);
    assert(!call.endpoint.received.some(({ type }) => type === 'response.cancel'));
  });

  it('resumes if the model does not transcribe a sound, and does not wait for it again', async () => {
    const call = await connect({ isPaced: true });
    call.endpoint.transcribing = new Promise(() => undefined);
    const saying = call.line.say(text('one two three four five'), 60, never);
    await until(() => call.peer.played >= rate);
    call.peer.advance(0.5);
    say(call, '');
    await until(() => call.peer.isPaused && call.endpoint.words.length === 0);
    call.peer.receive(silence(5));
    assert.equal(call.peer.isPaused, false);
    call.peer.advance(1);
    assert.equal((await saying).cutOffBy, undefined);
    call.endpoint.transcribing = undefined;
    say(call, 'Do you sell tulips?');
    const { spoken } = answer(call, await hear(call));
    const start = call.peer.played;
    await until(() => call.peer.played - start >= rate);
    call.peer.advance(0.1);
    call.peer.receive(silence(0.1));
    assert.equal(call.peer.isPaused, false);
    call.peer.advance(5);
    assert.equal((await spoken).played.trim(), 'You said: Do you sell tulips?');
  });

  it('waits for a customer who makes a sound before its audio', async () => {
    const call = await connect({ isPaced: true });
    const { promise: transcribing, resolve: transcribe } = Promise.withResolvers<undefined>();
    const { promise: answering, resolve: speak } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = transcribing;
    call.endpoint.speaking = answering;
    const saying = call.line.say(text('one two three four five'), 60, never);
    await call.endpoint.until(({ type }) => type === 'response.create');
    say(call, '');
    speak(undefined);
    await until(() => call.peer.played >= rate);
    call.peer.advance(0.1);
    call.peer.receive(silence(0.1));
    assert.equal(call.peer.isPaused, true);
    transcribe(undefined);
    await until(() => !call.peer.isPaused);
    call.peer.advance(1);
    assert.equal((await saying).cutOffBy, undefined);
  });

  it('runs no function for a noise, and removes the answer to it from the model’s history', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.resolve({ result: {} });
    };
    const call = await connect({ tool: { ...weather, run } });
    const { promise: transcribing, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = transcribing;
    call.endpoint.answer = () => ({
      ...{ text: 'One moment.', call: { name: 'weather', arguments: { town: 'Ulm' } } },
    });
    say(call, '');
    await until(() => call.endpoint.responses === 1);
    call.endpoint.transcribing = undefined;
    transcribe(undefined);
    await call.endpoint.until(({ type }) => type === 'conversation.item.delete');
    call.endpoint.answer = ({ items }) => ({
      text: items
        .slice(2)
        .map(({ type }) => type)
        .join(),
    });
    say(call, 'Hello?');
    assert.equal((await answer(call, await hear(call)).spoken).played, 'message');
    assert.equal(runs, 0);
  });

  it('answers keys at once, and requests the answer again whose words were not known then', async (context) => {
    const call = await connect();
    const { promise: transcribing, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = transcribing;
    call.endpoint.answer = ({ items }) =>
      items.at(-1)?.type === 'function_call_output'
        ? { text: 'It is sunny.' }
        : { call: { name: 'weather', arguments: { town: 'Ulm' } } };
    context.mock.timers.enable({ apis: ['setTimeout'] });
    say(call, 'How is the weather in Ulm?');
    await until(() => call.endpoint.responses === 1);
    // The usage is reported after the response.
    const type = 'conversation.item.input_audio_transcription.completed';
    call.endpoint.send(JSON.stringify({ type, item_id: 'another', transcript: '' }));
    await until(() => call.usages.length === 1);
    const keys = answer(call, '[pressed 1]');
    assert.equal((await keys.spoken).played, 'It is sunny.');
    context.mock.timers.reset();
    transcribe(undefined);
    const { reply, spoken } = answer(call, await hear(call));
    assert.equal((await spoken).played, 'It is sunny.');
    assert.deepEqual([keys.reply.functionCalls.length, reply.functionCalls.length], [1, 1]);
  });

  it('records the tokens of an unused answer when the call ends', async (context) => {
    const call = await connect();
    call.endpoint.transcribing = new Promise(() => undefined);
    call.endpoint.answer = () => ({ call: { name: 'weather', arguments: { town: 'Ulm' } } });
    context.mock.timers.enable({ apis: ['setTimeout'] });
    say(call, 'How is the weather in Ulm?');
    await until(() => call.endpoint.responses === 1);
    call.line.close('connection');
    await until(() => call.usages.length === 1);
  });

  it('speaks the next text after an answer that was stopped before it was spoken', async () => {
    const call = await connect();
    const reply = new BufferedReply((stopped) => call.speaker.answer('Hello?', [], stopped));
    reply.stop();
    const { played } = await call.line.say(text('Please call back.'), 60, never);
    assert.equal(played.trim(), 'Please call back.');
  });

  it('continues if the customer says too few words to interrupt', async () => {
    const call = await connect({ minInterruptWords: 3 });
    call.peer.holdMarksFrom = 1;
    const saying = call.line.say(text('one two three four five'), 60, never);
    await call.peer.held.promise;
    say(call, 'Yes.');
    await call.endpoint.until(({ type }) => type === 'conversation.item.delete');
    call.peer.releaseMarks();
    assert.equal((await saying).cutOffBy, undefined);
  });

  it('stops if the customer says enough words to interrupt', async () => {
    const call = await connect({ minInterruptWords: 3 });
    call.peer.holdMarksFrom = 1;
    const saying = call.line.say(text('one two three four five'), 60, never);
    await call.peer.held.promise;
    say(call, 'No, that is wrong.');
    assert.equal((await saying).cutOffBy, 'customer');
    assert.equal(await hear(call), 'No, that is wrong.');
    call.peer.holdMarksFrom = Infinity;
    const { played } = await answer(call, 'No, that is wrong.').spoken;
    assert.equal(played.trim(), 'You said: No, that is wrong.');
  });

  it('ignores the customer while it speaks if interruptions are off', async () => {
    const call = await connect({ allowInterruptions: false });
    call.peer.holdMarksFrom = 1;
    const saying = call.line.say(text('one two three'), 60, never);
    await call.peer.held.promise;
    call.peer.receive(voice(3));
    call.peer.receive(silence(1));
    call.peer.releaseMarks();
    assert.equal((await saying).cutOffBy, undefined);
    say(call, 'Now you hear me.');
    assert.equal(await hear(call), 'Now you hear me.');
    assert(call.endpoint.audioSeconds < 3, String(call.endpoint.audioSeconds));
  });

  it('answers the last of two utterances', async () => {
    const call = await connect();
    say(call, 'Roses?', 'No, tulips?');
    assert.equal(await hear(call), 'Roses?');
    assert.equal(await hear(call), 'No, tulips?');
    const { played } = await answer(call, 'No, tulips?').spoken;
    assert.equal(played.trim(), 'You said: No, tulips?');
  });

  it('yields utterances in their order if the model transcribes the second one first', async () => {
    const call = await connect();
    const { promise, resolve: transcribe } = Promise.withResolvers<undefined>();
    const isTranscribed = (count: number) =>
      call.usages.filter(({ purpose }) => purpose === 'transcription').length === count;
    call.endpoint.transcribing = promise;
    say(call, 'Do you sell roses, or only tulips?');
    await until(() => call.endpoint.words.length === 0);
    call.endpoint.transcribing = undefined;
    say(call, 'Hello?');
    await until(() => isTranscribed(1));
    transcribe(undefined);
    assert.equal(await hear(call), 'Do you sell roses, or only tulips?');
    assert.equal(await hear(call), 'Hello?');
    assert.match((await answer(call, 'Hello?').spoken).played, /^You said:/);
  });

  it('answers what the customer said before the greeting, even if its transcript arrives after the greeting', async () => {
    const call = await connect();
    const { promise, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = promise;
    call.endpoint.reportsTranscriptionUsage = false;
    say(call, 'Do you sell tulips?');
    // The model answers at once.
    await call.endpoint.until(({ type }) => type === 'response.create');
    const { played: greeting } = await call.line.say(text('Welcome.'), 60, never);
    assert.equal(greeting.trim(), 'Welcome.');
    transcribe(undefined);
    const said = await hear(call);
    assert.equal(said, 'Do you sell tulips?');
    assert.match((await answer(call, said).spoken).played, /^You said:/);
    const transcriptions = call.usages.filter(({ purpose }) => purpose === 'transcription');
    assert.equal(transcriptions.length, 1);
    assert(Math.abs((transcriptions[0]?.seconds ?? 0) - 0.6) < 0.1, String(transcriptions[0]?.seconds));
  });

  it('does not have the model answer words that the greeting answers', async () => {
    const call = await connect({ isGreetingDue: true });
    say(call, 'What is the weather in Bern?');
    assert.equal(await hear(call), 'What is the weather in Bern?');
    await call.line.say(text('Welcome.'), 60, never);
    say(call, 'What is the weather in Bern, please?');
    const said = await hear(call);
    assert.match((await answer(call, said).spoken).played, /^You said: What is the weather in Bern, please/);
    // The greeting, and the second question.
    assert.equal(call.endpoint.received.filter(({ type }) => type === 'response.create').length, 2);
  });

  it('does not have the model answer words that the greeting answers after re-engagement', async () => {
    const call = await connect({ isGreetingDue: true });
    const reply = new BufferedReply((stopped) => call.speaker.startTurn('silence', [], stopped));
    await call.line.say(reply.text(), 60, never);
    say(call, 'Hello?');
    assert.equal(await hear(call), 'Hello?');
    const { played } = await call.line.say(text('Welcome.'), 60, never);
    assert.equal(played.trim(), 'Welcome.');
    // The re-engagement and the greeting.
    assert.equal(call.endpoint.received.filter(({ type }) => type === 'response.create').length, 2);
  });

  it('answers pressed keys', async () => {
    const call = await connect();
    const { played } = await answer(call, '[pressed 12]').spoken;
    assert.equal(played.trim(), 'You said: [pressed 12]');
  });

  it('answers speech that could not be transcribed', async () => {
    const call = await connect();
    say(call, undefined);
    assert.equal(await hear(call), '…');
    assert.match((await answer(call, '…').spoken).played, /^You said: mumbling/);
  });

  it('gives the next answer after one that fails', async () => {
    const call = await connect();
    call.endpoint.answer = () => ({ fails: true });
    const { error } = await answer(call, 'Hello?').spoken;
    assert.equal(error?.message, 'The voice model could not answer.');
    call.endpoint.answer = () => ({ text: 'Here I am.' });
    assert.equal((await answer(call, 'Hello?').spoken).played.trim(), 'Here I am.');
  });

  it('speaks the model’s text with a separate voice if it has one', async () => {
    const spoken: string[] = [];
    const voice: Synthesizer = {
      async *speak(words) {
        spoken.push(words);
        yield await Promise.resolve(sound(0.5, 6000));
      },
    };
    const call = await connect({ voice });
    assert.deepEqual(call.endpoint.settings?.output_modalities, ['text']);
    await call.line.say(text('Welcome.'), 60, never);
    say(call, 'Do you sell tulips? I need ten.');
    const { played } = await answer(call, await hear(call)).spoken;
    assert.equal(played, 'You said: Do you sell tulips? I need ten.');
    assert.deepEqual(spoken, ['Welcome.', 'You said: Do you sell tulips?', 'I need ten.']);
    assert.equal(call.peer.played, 1.5 * rate);
  });

  it('removes the unheard rest of a text for a separate voice from the model’s history', async () => {
    const voice: Synthesizer = {
      async *speak() {
        yield await Promise.resolve(sound(0.5, 6000));
      },
    };
    const call = await connect({ voice, isPaced: true });
    const asked: ConversationItem[][] = [];
    call.endpoint.answer = ({ items }) => {
      asked.push([...items]);
      return { text: 'First. Second. Third.' };
    };
    say(call, 'Count, please.');
    const { spoken } = answer(call, await hear(call));
    await until(() => call.peer.played >= 0.5 * rate);
    call.peer.advance(0.1);
    await until(() => call.peer.played >= rate);
    call.peer.advance(0.5);
    call.line.interrupt();
    const { played } = await spoken;
    say(call, 'Enough.');
    const next = answer(call, await hear(call));
    await until(() => asked.length === 2);
    next.reply.stop();
    const texts = textsOf(asked[1] ?? []).slice(2);
    assert.match(played, /^First\./);
    assert(!played.includes('Third'), played);
    assert.deepEqual(texts, ['Count, please.', played, 'Enough.']);
  });

  it('knows that the customer has paused if the model does not report pauses', async (context) => {
    const call = await connect();
    call.endpoint.reportsPauses = false;
    say(call, 'Do you sell tulips?');
    await hear(call);
    const { customerSpokeAt } = call.line;
    const later = performance.now() + 5000;
    context.mock.method(performance, 'now', () => later);
    assert.equal(call.line.customerSpokeAt, customerSpokeAt);
  });

  it('yields the last words of a customer who hangs up before the pause, then ends', async () => {
    const call = await connect();
    call.endpoint.words.push('Take me off your list!');
    const { promise, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = promise;
    call.peer.receive(voice(1));
    await until(() => call.line.customerSpokeAt !== undefined);
    call.line.close('customer');
    await call.endpoint.until(({ type }) => type === 'input_audio_buffer.commit');
    assert.equal(await call.line.next(0, never), undefined);
    transcribe(undefined);
    const event = await call.line.next(10, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'Take me off your list!');
    assert(Math.abs(event.seconds - 1) < 0.3, String(event.seconds));
    assert.deepEqual(await call.line.next(10, never), { type: 'ended', by: 'customer' });
    // Nobody would hear an answer.
    assert(!call.endpoint.received.some(({ type }) => type === 'response.create'));
  });

  it('yields the last words of a customer who hangs up during their transcription', async () => {
    const call = await connect();
    const { promise, resolve: transcribe } = Promise.withResolvers<undefined>();
    call.endpoint.transcribing = promise;
    say(call, 'Goodbye.');
    await call.endpoint.until(({ type }) => type === 'response.create');
    call.line.close('customer');
    transcribe(undefined);
    assert.equal(await hear(call), 'Goodbye.');
    assert.deepEqual(await call.line.next(10, never), { type: 'ended', by: 'customer' });
    assert(!call.endpoint.received.some(({ type }) => type === 'input_audio_buffer.commit'));
  });

  it('ends without the last words if their transcription takes too long, or the model is lost', async (context) => {
    for (const isLost of [false, true]) {
      const call = await connect();
      call.endpoint.transcribing = new Promise(() => undefined);
      say(call, 'Goodbye.');
      await call.endpoint.until(({ type }) => type === 'response.create');
      context.mock.timers.enable({ apis: ['setTimeout'] });
      call.line.close('customer');
      assert.equal(await call.line.next(0, never), undefined);
      if (isLost) call.endpoint.drop();
      else context.mock.timers.tick(4000);
      context.mock.timers.reset();
      assert.deepEqual(await call.line.next(10, never), { type: 'ended', by: 'customer' });
    }
  });

  it('ends at once if a customer who has said nothing hangs up', async () => {
    const { line, peer } = await connect();
    peer.receive(silence(1));
    line.close('customer');
    assert.deepEqual(await line.next(0, never), { type: 'ended', by: 'customer' });
  });

  it('ends when the connection to the model is lost', async () => {
    const call = await connect();
    call.endpoint.drop();
    assert.deepEqual(await call.line.next(10, never), { type: 'ended', by: 'connection' });
  });

  it('ends when the model no longer answers pings, although the connection is not closed', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const call = await connect();
    // While it answers them, the line stays open.
    for (const words of ['One.', 'Two.', 'Three.']) {
      context.mock.timers.tick(5000);
      say(call, words);
      assert.equal(await hear(call), words);
    }
    call.endpoint.freeze();
    context.mock.timers.tick(10_000);
    assert.deepEqual(await call.line.next(10, never), { type: 'ended', by: 'connection' });
  });

  it('does not open with a wrong API key, and does not reveal it', async () => {
    const endpoint = await RealtimeEndpoint.open();
    opened.push(endpoint);
    const { baseUrl } = endpoint;
    const opening = RealtimeSession.open(
      { baseUrl, apiKey: 'wrong', model: 'kind-1', voices: [] },
      { type: 'realtime' },
      log,
    );
    await assert.rejects(opening, { name: 'EngineError', message: 'The voice model is not available.' });
  });
});
