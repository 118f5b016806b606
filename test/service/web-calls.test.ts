import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { setAiEnabled } from '../../src/service/conversation/human-handoff.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { assistants } from '../../src/service/db/schema.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { prepareLostEnd } from '../../src/service/web-call/lost-connection.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { offer, said, visit, waitForEnd } from '../support/calls/web-visitor.ts';
import { Owner } from '../support/records/owner.ts';
import { eventually } from '../support/eventually.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { until } from '../support/until.ts';
import { atEnd, newDatabase, readMoney, startService, testDatabase } from '../support/service/service.ts';

/** Waits until the service has noticed that the connection of a visitor's call was lost. */
const untilLost = ({ service, assistant }: Awaited<ReturnType<typeof visit>>) =>
  eventually('the loss', async () => {
    const { rows } = await service.running.database.pool.query<{ id: number }>(
      'SELECT id FROM calls WHERE user_id = $1 AND lease_owner IS NULL',
      [assistant.userId],
    );
    return rows[0];
  });

/** Waits until the service has received the request to hang up. */
const untilHungUp = ({ service, assistant }: Awaited<ReturnType<typeof visit>>) =>
  eventually('the request to hang up', async () => {
    const { rows } = await service.running.database.pool.query<{ id: number }>(
      'SELECT id FROM calls WHERE user_id = $1 AND hang_up_requested',
      [assistant.userId],
    );
    return rows[0];
  });

/** Reads the records of a visitor's calls, oldest first. */
const storedCalls = ({ service, assistant }: Awaited<ReturnType<typeof visit>>) =>
  service.running.database.db
    .select()
    .from(calls)
    .where(eq(calls.userId, assistant.userId))
    .orderBy(calls.id);

const toolResults = (call: typeof calls.$inferSelect | undefined) =>
  call?.messages.flatMap(({ functionCalls = [] }) => functionCalls.map(({ result }) => result));

/** Waits until the call has ended, with its duration and the tool's result. */
async function endsWithBooking(visitor: Awaited<ReturnType<typeof visit>>, endReason: string): Promise<void> {
  await waitForEnd(visitor);
  const [call] = await storedCalls(visitor);
  assert.deepEqual([call?.endReason, toolResults(call)], [endReason, [{ table: 7 }]]);
  assert(call && call.duration >= 1, String(call?.duration));
}

/** A visitor in a call while a tool runs, until `booked` is resolved with its result. */
async function visitWithTool() {
  const model = await startModelServer();
  atEnd(() => model.close());
  const booked = Promise.withResolvers<unknown>();
  const shop = await startLoopbackServer(() => booked.promise);
  atEnd(() => shop.close());
  const visitor = await visit({
    env: {
      ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test', ALLOW_PRIVATE_ADDRESSES: shop.address },
      VOICE_CALLS_PER_ASSISTANT: '1',
    },
  });
  const owner = await Owner.of(visitor.service, visitor.assistant.userId);
  const tool = { name: 'book', description: 'Books a table.', method: 'POST', timeout: 30 };
  const stored = await owner.create('tools', { ...tool, endpoint: `${shop.url}/book` });
  await visitor.service.running.database.db
    .update(assistants)
    .set({ toolIds: [stored.id] })
    .where(eq(assistants.id, visitor.assistant.id));
  const { json } = await visitor.call();
  const { browser } = visitor.voice;
  await said(browser, 1);
  model.behave({ calls: [{ name: 'book', arguments: {} }], chunks: ['It is booked.'] });
  browser.say('Book me a table.');
  await until(() => shop.requests.length === 1);
  model.behave({ chunks: ['I am here.'] });
  return { visitor, model, booked, token: json['call'] };
}

const hasOneProcess = testDatabase === 'pglite' && 'an embedded database has one process';

describe('a web call', () => {
  for (const [title, secondaryLanguageIds, prepared] of [
    ['the language', [], ['en', 'en']],
    ['several languages, which the transcriber detects', [2, 3], [undefined, 'en']],
  ] as const)
    it(`loads the models of ${title} before the visitor has allowed the microphone`, async () => {
      const voice = new MemoryVoice();
      const service = await startService({}, { voice });
      const limits = { secondaryLanguageIds: [...secondaryLanguageIds] };
      const visitor = await visit({ service, voice, limits });
      assert.equal((await service.get(`${visitor.path}/voice`)).status, 200);
      assert.deepEqual(voice.speech.prepared, prepared);
    });

  it('greets, understands, answers, and stores what was said in the conversation', async () => {
    const visitor = await visit();
    const { status, json } = await visitor.call();
    assert.equal(status, 201);
    assert.equal(json['sdp'], 'v=0 answer');
    assert.equal(json['max_seconds'], 600);
    const { browser, speech } = visitor.voice;
    await said(browser, 1);
    assert.deepEqual(speech.spoken, ['Welcome to the shop.']);
    browser.say('What are your opening hours?');
    await said(browser, 2);
    assert.equal((await visitor.hangUp()).status, 200);
    const history = await visitor.history();
    const answer = String(history[2]).replace('assistant: ', '');
    assert.deepEqual(history, [
      'assistant: Welcome to the shop.',
      'user: What are your opening hours?',
      `assistant: ${answer}`,
    ]);
    const heard = browser.find('response.output_audio_transcript.done');
    assert.deepEqual(
      heard.map(({ transcript }) => transcript),
      ['Welcome to the shop.', answer],
    );
    const [call] = await visitor.calls();
    assert.deepEqual(call, {
      type: 'web',
      status: 'completed',
      end_reason: 'hung-up',
      transcript: `AI: Welcome to the shop.\nCustomer: What are your opening hours?\nAI: ${answer}`,
      carrier_cost: 0,
      total_cost: 0.05,
    });
    assert.deepEqual(await visitor.money(), { balance: 0.95, ledger: 0.95 });
  });

  it('sends the events of a turn to the browser in order', async () => {
    const visitor = await visit();
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.events.length = 0;
    browser.say('Hello there');
    await said(browser, 1);
    const deltas = browser.find('response.output_audio_transcript.delta').length;
    const types = browser.events.map(({ type }) => type);
    assert.deepEqual(types, [
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
      'output_audio_buffer.started',
      ...Array<string>(deltas).fill('response.output_audio_transcript.delta'),
      'response.output_audio_transcript.done',
      'output_audio_buffer.stopped',
      'response.done',
    ]);
    const [first] = browser.events;
    assert.deepEqual(browser.find('conversation.item.input_audio_transcription.completed'), [
      {
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: first?.['item_id'],
        transcript: 'Hello there',
      },
    ]);
    await visitor.hangUp();
    assert.deepEqual(browser.find('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
    assert(browser.isClosed);
  });

  it('continues a text conversation, which continues by text after the call', async () => {
    const visitor = await visit();
    await visitor.service.post(`${visitor.path}/messages`, { message: 'My name is Ada.' });
    await visitor.call();
    const { browser, speech } = visitor.voice;
    browser.say('Are you there?');
    await said(browser, 1);
    assert.equal(speech.spoken.includes('Welcome to the shop.'), false);
    await visitor.hangUp();
    const written = await visitor.service.post(`${visitor.path}/messages`, { message: 'Thanks.' });
    assert.equal(written.status, 200);
    const roles = (await visitor.history()).map((line) => line.split(':')[0]);
    assert.deepEqual(roles, ['assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    // Completed, since the assistant has answered.
    assert.equal((await visitor.calls())[0]?.['status'], 'completed');
    // Two messages and one minute.
    assert.deepEqual(await visitor.money(), { balance: 0.93, ledger: 0.93 });
  });

  it('sends the model the messages that are typed during the call', async () => {
    const model = await startModelServer();
    atEnd(() => model.close());
    const visitor = await visit({ env: { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' } });
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.say('Do you know me?');
    await said(browser, 2);
    await visitor.service.post(`${visitor.path}/messages`, { message: 'My name is Ada.' });
    browser.say('What is my name?');
    await said(browser, 3);
    await visitor.hangUp();
    const sent = model.requests.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`);
    assert.deepEqual(sent?.slice(1), [
      'assistant: Welcome to the shop.',
      'user: Do you know me?',
      'assistant: You said: Do you know me?',
      'user: My name is Ada.',
      'assistant: You said: My name is Ada.',
      'user: What is my name?',
    ]);
  });

  it('answers a typed message by voice and text', async () => {
    const visitor = await visit();
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.write('What are your opening hours?');
    await said(browser, 2);
    browser.write(' ');
    const [error] = await browser.waitFor('error');
    assert.deepEqual(error?.['error'], { code: 'invalid-message', message: 'The message is empty.' });
    await visitor.hangUp();
    assert.equal((await visitor.history())[1], 'user: What are your opening hours?');
    assert.equal((await visitor.history()).length, 3);
  });

  it('accepts twenty typed messages a minute, and ignores unknown events', async () => {
    const visitor = await visit({ type: 'test' });
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    for (const event of [{}, { type: 'session.update' }, { type: 'conversation.item.create', item: 1 }])
      browser.onEvent?.(event);
    for (let index = 0; index < 20; index++) browser.write(`Message ${index}`);
    assert.deepEqual(browser.find('error'), []);
    browser.write('One too many');
    const [error] = browser.find('error');
    const message = 'Too many messages. Please wait a moment.';
    assert.deepEqual(error?.['error'], { code: 'invalid-message', message });
    await visitor.hangUp();
  });

  for (const [title, connects, level, reason] of [
    ['the browser did not connect', () => Promise.resolve(false), 'warn', 'the browser did not connect'],
    ['the visitor hung up before', () => Promise.withResolvers<boolean>().promise, 'info', 'hung-up'],
  ] as const)
    it(`is logged with its id and the reason if ${title}`, async () => {
      const lines: Record<string, unknown>[] = [];
      const log = pino(
        { level: 'info', formatters: { level: (label) => ({ level: label }) } },
        { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
      );
      const voice = new MemoryVoice();
      const service = await startService({}, { voice, log });
      const visitor = await visit({ service, voice });
      voice.connected = connects();
      const { json } = await visitor.call();
      if (level === 'info') await visitor.hangUp(json['call']);
      await waitForEnd(visitor);
      const line = await eventually('the line', () =>
        lines.find(({ msg }) => msg === 'a web call ended before it connected'),
      );
      assert.deepEqual([line['level'], line['reason']], [level, reason]);
      assert.equal(typeof line['callId'], 'number');
      assert.equal(typeof line['milliseconds'], 'number');
    });

  it('answers a message that is typed before the greeting is played, and does not greet again', async () => {
    const visitor = await visit();
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    browser.holdMarksFrom = 0;
    connection.resolve(true);
    await browser.held.promise;
    browser.holdMarksFrom = Infinity;
    browser.write('What are your opening hours?');
    await said(browser, 2);
    const answer = String(browser.find('response.output_audio_transcript.done').at(-1)?.['transcript']);
    assert.doesNotMatch(answer, /Welcome to the shop|^$/);
    await visitor.hangUp();
    assert.deepEqual(await visitor.history(), [
      'assistant: Welcome to the shop.',
      'user: What are your opening hours?',
      `assistant: ${answer}`,
    ]);
  });

  it('stores the part of an answer that was played before the visitor interrupted it', async () => {
    const visitor = await visit({ initialMessage: 'One two three. Four five six. Seven eight nine.' });
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    // Two sentences begin; the second does not end.
    browser.holdMarksFrom = 3;
    connection.resolve(true);
    await browser.held.promise;
    browser.interruptWith('Stop');
    const [done] = await browser.waitFor('response.output_audio_transcript.done');
    const heard = String(done?.['transcript']);
    assert.match(heard, /^One two three\./);
    assert.doesNotMatch(heard, /Seven/);
    await browser.waitFor('output_audio_buffer.cleared');
    await browser.waitFor('conversation.item.input_audio_transcription.completed');
    // The next answer begins when the words are understood, not when it can be heard.
    await browser.waitFor('response.created', 2);
    browser.holdMarksFrom = Infinity;
    await said(browser, 2);
    await visitor.hangUp();
    const [call] = await visitor.calls();
    assert.equal(String(call?.['transcript']).split('\n')[1], 'Customer: Stop');
    assert.equal(String(call?.['transcript']).split('\n')[0]?.trim(), `AI: ${heard}`);
  });

  it('stops speaking when the browser sends response.cancel', async () => {
    const visitor = await visit({ initialMessage: 'One two three. Four five six.' });
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    browser.holdMarksFrom = 1;
    connection.resolve(true);
    await browser.held.promise;
    browser.onEvent?.({ type: 'response.cancel' });
    await browser.waitFor('output_audio_buffer.cleared');
    assert.equal(browser.flushes, 1);
    await visitor.hangUp();
  });

  it('stores the assistant’s first words in the conversation if the greeting was stopped before it was heard', async () => {
    const visitor = await visit({ limits: { reengagementInterval: 1 } });
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    browser.holdMarksFrom = 0;
    connection.resolve(true);
    await browser.held.promise;
    browser.holdMarksFrom = Infinity;
    browser.onEvent?.({ type: 'response.cancel' });
    await said(browser, 2);
    await visitor.hangUp();
    assert.equal((await visitor.calls())[0]?.['transcript'], 'AI: Are you still there?');
    assert.deepEqual(await visitor.history(), [
      'assistant: Welcome to the shop.',
      'assistant: Are you still there?',
    ]);
  });

  it('is free and limited to two minutes in a conversation of type test', async () => {
    const visitor = await visit({ type: 'test' });
    const { json } = await visitor.call();
    assert.equal(json['max_seconds'], 120);
    await said(visitor.voice.browser, 1);
    await visitor.hangUp();
    const [call] = await visitor.calls();
    assert.equal(call?.['total_cost'], 0);
    assert.deepEqual(await visitor.money(), { balance: 1, ledger: 1 });
  });

  for (const mode of ['pipeline', 'multimodal', 'dualplex'] as const) {
    it(`costs 0.05 USD per started minute in the mode ${mode} without a realtime model`, async () => {
      const visitor = await visit({ limits: { mode } });
      await visitor.call();
      await said(visitor.voice.browser, 1);
      await visitor.hangUp();
      const [call] = await visitor.calls();
      assert.equal(call?.['total_cost'], 0.05);
      assert.deepEqual(await visitor.money(), { balance: 0.95, ledger: 0.95 });
    });
  }
});

describe('a web call in progress', () => {
  it('ends when its conversation is deleted, and is deleted but not refunded', async () => {
    const visitor = await visit();
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    await visitor.service.request('DELETE', visitor.path);
    assert.deepEqual(await browser.waitFor('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
    // The transcript is deleted, but the charge remains.
    assert.deepEqual(await visitor.calls(), []);
    assert.deepEqual(await visitor.money(), { balance: 0.95, ledger: 0.95 });
  });

  it('ends at a human handoff', async () => {
    const visitor = await visit();
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    const { database } = visitor.service.running;
    const uuid = visitor.path.split('/').at(-1) ?? '';
    await setAiEnabled(database, { uuid, userId: visitor.assistant.userId }, false);
    assert.deepEqual(await browser.waitFor('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
    await waitForEnd(visitor);
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['ended', 'conversation-ended']);
  });

  it('ends when the balance does not cover another minute', async () => {
    const visitor = await visit({ balance: '0.05' });
    const { pool } = visitor.service.running.database;
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    // Moves the answer to more than a minute ago.
    await pool.query(
      `UPDATE calls SET answered_at = answered_at - interval '61 seconds' WHERE user_id = $1`,
      [visitor.assistant.userId],
    );
    const [{ token } = { token: '' }] = (
      await pool.query<{ token: string }>('SELECT token FROM calls WHERE user_id = $1', [
        visitor.assistant.userId,
      ])
    ).rows;
    assert.equal((await visitor.call({ call: token })).status, 201);
    assert.deepEqual(await visitor.voice.browser.waitFor('call.ended'), [
      { type: 'call.ended', reason: 'balance' },
    ]);
    await waitForEnd(visitor);
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['end_reason'], call?.['total_cost']], ['balance', 0.05]);
    assert.deepEqual(await visitor.money(), { balance: 0, ledger: 0 });
  });

  it('ends when the conversation reaches its message limit', async () => {
    const visitor = await visit({ limits: { maxConversationMessages: 1 } });
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.say('What are your opening hours?');
    assert.deepEqual(await browser.waitFor('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
    await waitForEnd(visitor);
    assert.equal((await visitor.history()).length, 3);
  });

  for (const conversationEndedRetrigger of [false, true])
    it(`does not reopen a conversation that ends during the call, with retrigger ${conversationEndedRetrigger}`, async () => {
      const visitor = await visit({
        limits: {
          conversationEndedRetrigger,
          tools: [{ type: 'end_call', description: 'When the visitor says goodbye.' }],
        },
      });
      await visitor.call();
      const { browser } = visitor.voice;
      await said(browser, 1);
      // The first sentence of the answer begins, but does not end.
      browser.holdMarksFrom = 4;
      browser.say('What are your opening hours?');
      await browser.held.promise;
      const { json } = await visitor.service.post(`${visitor.path}/messages`, { message: 'Bye' });
      assert.equal(json['ended'], conversationEndedRetrigger ? undefined : true);
      await visitor.hangUp();
      await waitForEnd(visitor);
      const speakers = (await visitor.history()).map((line) => line.split(':')[0]);
      assert.deepEqual(speakers, ['assistant', 'user', 'assistant', 'user', 'assistant', 'system']);
      const { rows } = await visitor.service.running.database.pool.query(
        'SELECT ended_at >= updated_at AS "hasEnded" FROM conversations WHERE uuid = $1',
        [visitor.path.split('/').at(-1)],
      );
      assert.deepEqual(rows, [{ hasEnded: true }]);
    });

  it('does not reach the message limit by addressing a silent visitor', async () => {
    const visitor = await visit({ limits: { maxConversationMessages: 1, reengagementInterval: 1 } });
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 2);
    browser.say('What are your opening hours?');
    await browser.waitFor('call.ended');
    await waitForEnd(visitor);
    const ofVisitor = (await visitor.history()).filter((line) => line.startsWith('user: '));
    assert.deepEqual(ofVisitor, ['user: What are your opening hours?']);
  });

  it('ends after max_silence_duration', async () => {
    const visitor = await visit({ limits: { maxSilenceDuration: 1 } });
    await visitor.call();
    assert.deepEqual(await visitor.voice.browser.waitFor('call.ended'), [
      { type: 'call.ended', reason: 'silence' },
    ]);
    await waitForEnd(visitor);
    assert.equal((await visitor.calls())[0]?.['status'], 'ended_by_assistant');
  });

  it('ends after max_duration', async () => {
    const visitor = await visit({ limits: { maxDuration: 1 } });
    await visitor.call();
    assert.deepEqual(await visitor.voice.browser.waitFor('call.ended'), [
      { type: 'call.ended', reason: 'time-limit' },
    ]);
    await waitForEnd(visitor);
    assert.equal((await visitor.calls())[0]?.['end_reason'], 'max-duration');
  });

  it('frees the port when the visitor hangs up before the browser has connected', async () => {
    const visitor = await visit();
    visitor.voice.connected = Promise.withResolvers<boolean>().promise;
    await visitor.call();
    await visitor.hangUp();
    await until(() => visitor.voice.browser.isClosed);
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['ended_by_customer', 'hung-up']);
    assert.deepEqual(await visitor.money(), { balance: 1, ledger: 1 });
  });

  it('adds its end to the conversation, with its duration', async () => {
    const visitor = await visit();
    for (const hungUp of [1, 2]) {
      await visitor.call();
      visitor.voice.browser.say('What are your opening hours?');
      await visitor.voice.browser.waitFor('response.done', 1);
      await visitor.hangUp();
      assert.equal((await visitor.ends()).length, hungUp);
    }
    const stored = await storedCalls(visitor);
    const ends = await visitor.ends();
    assert.deepEqual(
      ends.map(({ role, content, duration }) => [role, content, duration]),
      stored.map(({ duration }) => ['system', 'The call has ended.', duration]),
    );
    assert(ends.every(({ duration }) => Number(duration) >= 1));
    const { json } = await visitor.service.get(visitor.path);
    assert.equal((json['history'] as { event?: string }[]).at(-1)?.event, 'call_ended', 'after its messages');
  });

  it('fails free of charge if the browser never connects', async () => {
    const visitor = await visit();
    visitor.voice.connected = Promise.resolve(false);
    assert.equal((await visitor.call()).status, 201);
    await waitForEnd(visitor);
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['failed', 'not-connected']);
    assert.deepEqual(await visitor.money(), { balance: 1, ledger: 1 });
    assert.deepEqual(await visitor.ends(), []);
  });

  it('ends immediately when the service stops before the browser has connected', async () => {
    const env = { ...(await newDatabase()), SHUTDOWN_SECONDS: '30' };
    const visitor = await visit({ env });
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    const stopped = visitor.service.running.close();
    await until(() => browser.isClosed);
    connection.resolve(true);
    await stopped;
    assert.deepEqual(browser.events, []);
    const next = await startService(env);
    assert.deepEqual(await readMoney(next, visitor.assistant.userId), { balance: 1, ledger: 1 });
  });

  const mayContinue = testDatabase === 'postgres' && 'another process may continue it';
  it('is refunded if the only process stops', { skip: mayContinue }, async () => {
    const env = { ...(await newDatabase()), SHUTDOWN_SECONDS: '0' };
    const visitor = await visit({ env });
    await visitor.call();
    await said(visitor.voice.browser, 1);
    await visitor.service.running.close();
    assert.deepEqual(visitor.voice.browser.find('call.ended'), [{ type: 'call.ended', reason: 'failed' }]);
    const next = await startService(env);
    assert.deepEqual(await readMoney(next, visitor.assistant.userId), { balance: 1, ledger: 1 });
  });

  it('returns 200 for a hang-up that is repeated or has no call', async () => {
    const visitor = await visit();
    assert.equal((await visitor.hangUp()).status, 200);
    await visitor.call();
    await said(visitor.voice.browser, 1);
    assert.equal((await visitor.hangUp()).status, 200);
    assert.equal((await visitor.hangUp()).status, 200);
  });

  it('ends with its duration and the result of a tool if the visitor hangs up while the tool runs', async () => {
    const { visitor, booked } = await visitWithTool();
    assert.equal((await visitor.hangUp()).status, 200);
    booked.resolve({ table: 7 });
    await endsWithBooking(visitor, 'hung-up');
  });

  it('stores the tool of an answer if the model fails after it', async () => {
    const { visitor, model, booked } = await visitWithTool();
    model.behave({ status: 500 });
    booked.resolve({ table: 7 });
    await endsWithBooking(visitor, 'cut-off');
  });

  it('stores the tool of an answer and what was heard of it if the voice fails', async () => {
    const { visitor, model, booked } = await visitWithTool();
    const { browser, speech } = visitor.voice;
    speech.unspeakable = 'Enjoy your meal.';
    model.behave({ chunks: ['It is booked. ', 'Enjoy your meal.'] });
    booked.resolve({ table: 7 });
    const [end] = await browser.waitFor('call.ended');
    assert.equal(end?.['reason'], 'failed');
    // The browser reads it at once.
    assert.deepEqual((await visitor.history()).slice(1), [
      'user: Book me a table.',
      'assistant: It is booked.',
    ]);
    const shown = browser.find('response.output_audio_transcript.done').map(({ transcript }) => transcript);
    assert.equal(shown.at(-1), 'It is booked.');
    await endsWithBooking(visitor, 'cut-off');
  });

  it('delays the visitor’s next call until its last message is stored', async () => {
    const { visitor, booked, token } = await visitWithTool();
    const hungUp = visitor.hangUp(token);
    await untilHungUp(visitor);
    const next = visitor.call();
    // The service has the new call, too, once it has answered later requests.
    for (let requests = 0; requests < 5; requests++) await visitor.history();
    booked.resolve({ table: 7 });
    const { status, json } = await next;
    assert.equal(status, 201);
    assert.equal((await visitor.calls())[0]?.['end_reason'], 'hung-up');
    await hungUp;
    await visitor.hangUp(json['call']);
  });

  it('does not prevent the visitor’s next call if its tool takes long, nor count towards the limit of calls', async () => {
    const { visitor, booked, token } = await visitWithTool();
    const hungUp = visitor.hangUp(token);
    await untilHungUp(visitor);
    const { status, json } = await visitor.call();
    assert.equal(status, 201);
    await hungUp;
    const { browser } = visitor.voice;
    browser.say('Hello again');
    await said(browser, 1);
    booked.resolve({ table: 7 });
    await waitForEnd(visitor);
    browser.say('What are your opening hours?');
    await said(browser, 2);
    await visitor.hangUp(json['call']);
    const [first, second] = await storedCalls(visitor);
    assert.deepEqual(toolResults(first), [{ table: 7 }]);
    assert.deepEqual([second?.status, second?.messages.length], ['completed', 4]);
  });

  it('ends on a hang-up request to another process', { skip: hasOneProcess }, async () => {
    const env = await newDatabase();
    const visitor = await visit({ env });
    const other = await startService(env);
    await visitor.call();
    await said(visitor.voice.browser, 1);
    assert.equal((await other.request('DELETE', `${visitor.path}/voice`)).status, 200);
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['ended_by_customer', 'hung-up']);
    assert.deepEqual(visitor.voice.browser.find('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
  });
});

describe('a web call whose connection was lost', () => {
  it('continues when the visitor reconnects', async () => {
    const visitor = await visit();
    const { json } = await visitor.call();
    const first = visitor.voice.browser;
    await said(first, 1);
    first.lose();
    const again = await visitor.call({ call: json['call'] });
    assert.equal(again.status, 201);
    assert.equal(again.json['call'], json['call']);
    const second = visitor.voice.browser;
    assert.notEqual(second, first);
    // The assistant apologizes.
    await said(second, 1);
    second.say('What are your opening hours?');
    await said(second, 2);
    await visitor.hangUp();
    const calls = await visitor.calls();
    assert.equal(calls.length, 1);
    assert.equal(calls[0]?.['total_cost'], 0.05);
    assert.equal((await visitor.history()).filter((line) => line.startsWith('user')).length, 1);
  });

  it('greets after a reconnection if it was lost before the greeting', async () => {
    const visitor = await visit();
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    const { json } = await visitor.call();
    const first = visitor.voice.browser;
    first.holdMarksFrom = 0;
    connection.resolve(true);
    await first.held.promise;
    visitor.voice.connected = Promise.resolve(true);
    first.lose();
    await untilLost(visitor);
    await visitor.call({ call: json['call'] });
    await said(visitor.voice.browser, 1);
    await visitor.hangUp();
    assert.equal((await visitor.calls())[0]?.['transcript'], 'AI: Welcome to the shop.');
    assert.deepEqual(await visitor.history(), ['assistant: Welcome to the shop.']);
  });

  it('shows after a reconnection that the assistant is busy while a tool runs, and then answers what was said', async () => {
    const { visitor, booked, token } = await visitWithTool();
    visitor.voice.browser.lose();
    assert.equal((await visitor.call({ call: token })).status, 201);
    const { browser } = visitor.voice;
    await browser.waitFor('response.created');
    browser.write('Are you still there?');
    browser.say('Hello?');
    await browser.waitFor('conversation.item.input_audio_transcription.completed');
    booked.resolve({ table: 7 });
    // The apology, and two answers.
    await said(browser, 3);
    await visitor.hangUp(token);
    const users = (await visitor.history()).filter((line) => line.startsWith('user: '));
    assert.deepEqual(users, ['user: Book me a table.', 'user: Are you still there?', 'user: Hello?']);
    const [call] = await storedCalls(visitor);
    assert.deepEqual([call?.status, call?.endReason], ['completed', 'hung-up']);
    // The browser has got the first event before the tool finished.
    assert.deepEqual(toolResults(call), [{ table: 7 }]);
  });

  it('continues on the latest connection if the visitor reconnects twice while a tool runs', async () => {
    const { visitor, model, booked, token } = await visitWithTool();
    visitor.voice.browser.lose();
    await visitor.call({ call: token });
    const replaced = visitor.voice.browser;
    await replaced.waitFor('response.created');
    await visitor.call({ call: token });
    const latest = visitor.voice.browser;
    await latest.waitFor('response.created');
    assert(replaced.isClosed);
    const before = model.requests.length;
    booked.resolve({ table: 7 });
    await said(latest, 1);
    latest.say('Hello?');
    await said(latest, 2);
    await visitor.hangUp(token);
    assert.deepEqual(
      replaced.events.map(({ type }) => type),
      ['response.created'],
    );
    assert.equal(model.requests.length - before, 2);
    assert.equal((await visitor.calls())[0]?.['end_reason'], 'hung-up');
  });

  it('ends if the visitor reconnects while a tool runs, and then hangs up', async () => {
    const { visitor, booked, token } = await visitWithTool();
    visitor.voice.browser.lose();
    await visitor.call({ call: token });
    const { browser } = visitor.voice;
    await browser.waitFor('response.created');
    const hungUp = visitor.hangUp(token);
    assert.deepEqual(await browser.waitFor('call.ended'), [{ type: 'call.ended', reason: 'stopped' }]);
    booked.resolve({ table: 7 });
    await hungUp;
    await waitForEnd(visitor);
    const [call] = await storedCalls(visitor);
    assert.equal(call?.endReason, 'hung-up');
    assert.deepEqual(toolResults(call), [{ table: 7 }]);
  });

  it('is completed if the visitor has got an answer, and hangs up instead of reconnecting', async () => {
    const visitor = await visit();
    await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.say('What are your opening hours?');
    await said(browser, 2);
    browser.lose();
    await untilLost(visitor);
    await visitor.hangUp();
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['completed', 'hung-up']);
  });

  it('is completed if the visitor has got an answer in a text conversation', async () => {
    const visitor = await visit();
    await visitor.service.post(`${visitor.path}/messages`, { message: 'My name is Ada.' });
    await visitor.call();
    const { browser } = visitor.voice;
    browser.say('Are you there?');
    await said(browser, 1);
    browser.lose();
    await untilLost(visitor);
    await visitor.hangUp();
    const [call] = await visitor.calls();
    assert.deepEqual([call?.['status'], call?.['end_reason']], ['completed', 'hung-up']);
  });

  it('continues when the visitor reconnects before the service has noticed the loss', async () => {
    const visitor = await visit();
    const { json } = await visitor.call();
    const first = visitor.voice.browser;
    await said(first, 1);
    assert.equal((await visitor.call({ call: json['call'] })).status, 201);
    await said(visitor.voice.browser, 1);
    assert(first.isClosed);
    await visitor.hangUp();
    assert.equal((await visitor.calls()).length, 1);
  });

  it('is ended by a new call, and cannot be continued afterwards', async () => {
    const visitor = await visit();
    const { json } = await visitor.call();
    const first = visitor.voice.browser;
    await said(first, 1);
    first.lose();
    const isLost = async () => (await visitor.call()).status === 201;
    while (!(await isLost()));
    await visitor.hangUp();
    const calls = await visitor.calls();
    assert.deepEqual(
      [calls[0]?.['status'], calls[0]?.['end_reason']],
      ['ended_by_customer', 'connection-lost'],
    );
    const late = await visitor.call({ call: json['call'] });
    assert.deepEqual([late.status, late.json['error']], [409, 'The call has ended']);
  });

  it('waits for the visitor again after each loss, and is not ended while the visitor reconnects', async () => {
    const visitor = await visit();
    const { database } = visitor.service.running;
    const dependencies = { database, jobs: new StoredJobs(database) };
    const { json } = await visitor.call();
    const lose = async () => {
      await said(visitor.voice.browser, 1);
      visitor.voice.browser.lose();
      const { rows } = await database.pool.query<{ id: number }>('SELECT id FROM calls WHERE user_id = $1', [
        visitor.assistant.userId,
      ]);
      for (;;) {
        const end = await prepareLostEnd(dependencies, rows[0]?.id ?? 0);
        if (end) return end;
      }
    };
    const endFirst = await lose();
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    assert.equal((await visitor.call({ call: json['call'] })).status, 201);
    assert.equal(await endFirst(), false);
    connection.resolve(true);
    const endSecond = await lose();
    assert.equal(await endFirst(), false);
    assert.deepEqual(await visitor.ends(), []);
    assert.equal(await endSecond(), true);
    assert.equal((await visitor.ends()).length, 1);
    assert.equal((await visitor.calls())[0]?.['end_reason'], 'connection-lost');
  });

  it('continues in another process if its own stops', { skip: hasOneProcess }, async () => {
    const env = { ...(await newDatabase()), SHUTDOWN_SECONDS: '0' };
    const visitor = await visit({ env });
    const voice = new MemoryVoice();
    const other = await startService(env, { voice });
    const { json } = await visitor.call();
    await said(visitor.voice.browser, 1);
    await visitor.service.running.close();
    assert(visitor.voice.browser.isClosed);
    assert.deepEqual(visitor.voice.browser.find('call.ended'), []);
    const again = await other.post(`${visitor.path}/voice`, { sdp: offer, call: json['call'] });
    assert.equal(again.status, 201);
    // The assistant apologizes.
    await said(voice.browser, 1);
    assert.equal((await other.request('DELETE', `${visitor.path}/voice`)).status, 200);
    assert.deepEqual(await readMoney(other, visitor.assistant.userId), { balance: 0.95, ledger: 0.95 });
  });
});

describe('a web call that is not connected yet', () => {
  it('is ended by a new call of the visitor', async () => {
    const visitor = await visit();
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    assert.equal((await visitor.call()).status, 201);
    const first = visitor.voice.browser;
    visitor.voice.connected = Promise.resolve(true);
    assert.equal((await visitor.call()).status, 201);
    await until(() => first.isClosed);
    await said(visitor.voice.browser, 1);
    await visitor.hangUp();
    const ended = (await visitor.calls()).map(({ end_reason }) => end_reason);
    assert.deepEqual(ended, ['not-connected', 'hung-up']);
    assert.deepEqual(await visitor.money(), { balance: 0.95, ledger: 0.95 });
  });

  it('does not end its successor when it is hung up late', async () => {
    const visitor = await visit();
    visitor.voice.connected = Promise.withResolvers<boolean>().promise;
    const replaced = await visitor.call();
    visitor.voice.connected = Promise.resolve(true);
    const { json } = await visitor.call();
    const { browser } = visitor.voice;
    await said(browser, 1);
    for (const call of [replaced.json['call'], 'a-guessed-token', '', '\0'])
      assert.equal((await visitor.hangUp(call)).status, 200);
    browser.say('What are your opening hours?');
    await said(browser, 2);
    await visitor.hangUp(json['call']);
    const ended = (await visitor.calls()).map(({ end_reason }) => end_reason);
    assert.deepEqual(ended, ['not-connected', 'hung-up']);
  });

  for (const [title, isLost] of [
    ['a new call', false],
    ['a call whose connection was lost', true],
  ] as const) {
    it(`has one pending connection: ${title}`, async () => {
      const visitor = await visit();
      const connection = Promise.withResolvers<boolean>();
      if (!isLost) visitor.voice.connected = connection.promise;
      const { json } = await visitor.call();
      if (isLost) {
        await said(visitor.voice.browser, 1);
        visitor.voice.browser.lose();
      }
      const { call } = json;
      visitor.voice.connected = connection.promise;
      for (let attempt = 0; attempt < 3; attempt++) {
        const pending = visitor.voice.browser;
        assert.equal((await visitor.call({ call })).status, 201);
        if (!isLost || attempt > 0) assert(pending.isClosed);
      }
      connection.resolve(true);
      await said(visitor.voice.browser, 1);
      await visitor.hangUp();
      const ended = (await visitor.calls()).map(({ end_reason }) => end_reason);
      assert.deepEqual(ended, ['hung-up']);
    });
  }

  it('counts towards the connections of its address, until it is connected or closed', async () => {
    const env = { VOICE_CALLS_PER_ASSISTANT: '0', TRUST_PROXY: '1' };
    const visitor = await visit({ env, balance: '100' });
    const { voice, service, assistant } = visitor;
    const connection = Promise.withResolvers<boolean>();
    voice.connected = connection.promise;
    const call = async (address: string) => {
      const path = `/api/conversations/${await service.open(assistant.uuid)}/voice`;
      return service.post(path, { sdp: offer }, { 'X-Forwarded-For': address });
    };
    const callAtOnce = (address: string) => Promise.all(Array.from({ length: 7 }, () => call(address)));
    const answers = await callAtOnce('203.0.113.7');
    const refused = answers.filter(({ status }) => status !== 201);
    const error = 'Call limit reached. Too many calls from this address are connecting.';
    assert.deepEqual(
      refused.map(({ status, json }) => [status, json['error']]),
      [
        [429, error],
        [429, error],
      ],
    );
    assert.equal((await call('203.0.113.8')).status, 201);
    voice.browsers[0]?.close();
    assert.equal((await call('203.0.113.7')).status, 201);
    const blocks = Array.from({ length: 21 }, (_, index) => call(`2001:db8:7:${index}::1`));
    const ofNetwork = (await Promise.all(blocks)).filter(({ status }) => status !== 201);
    assert.deepEqual(
      ofNetwork.map(({ status, json }) => [status, json['error']]),
      [[429, error]],
    );
    assert.equal((await call('2001:db8:8:1::1')).status, 201);
    connection.resolve(true);
    for (let index = 0; index < 7; index++) assert.equal((await call('203.0.113.7')).status, 201);
  });
});

describe('a web call that cannot start', () => {
  it('is refused while another one is in progress', async () => {
    const visitor = await visit();
    await visitor.call();
    await said(visitor.voice.browser, 1);
    const { status, json } = await visitor.call();
    assert.deepEqual([status, json['error']], [409, 'A call is in progress']);
    for (const call of ['a-guessed-token', '\0']) {
      const foreign = await visitor.call({ call });
      assert.deepEqual([foreign.status, foreign.json['error']], [409, 'The call has ended']);
    }
    assert(visitor.voice.browser.isClosed);
    await visitor.hangUp();
  });

  it('is refused with 403 if the assistant does not offer web calls', async () => {
    const visitor = await visit({ limits: { webCalls: false } });
    const { status, json } = await visitor.call();
    assert.deepEqual([status, json['error']], [403, 'Calls are not enabled for this assistant']);
    assert.equal((await visitor.service.get(`${visitor.path}/voice`)).status, 403);
  });

  it('is refused on a page whose origin is not allowed', async () => {
    const visitor = await visit();
    const { pool } = visitor.service.running.database;
    await pool.query(`UPDATE assistants SET allowed_origins = '{https://shop.example}' WHERE uuid = $1`, [
      visitor.assistant.uuid,
    ]);
    const { status, json } = await visitor.call({}, { Origin: 'https://other.example' });
    assert.deepEqual([status, json['error']], [403, 'Origin not allowed: https://other.example']);
    assert.equal((await visitor.call({}, { Origin: 'https://shop.example' })).status, 201);
    await visitor.hangUp();
  });

  it('is refused if the balance does not cover a minute', async () => {
    const visitor = await visit({ balance: '0.04' });
    const { status, json } = await visitor.call();
    assert.deepEqual([status, json['error']], [400, 'Insufficient balance. Please top up your account.']);
    assert.deepEqual(await visitor.money(), { balance: 0.04, ledger: 0.04 });
  });

  it('is refused with an invalid SDP offer', async () => {
    const visitor = await visit();
    const { status, json } = await visitor.call({ sdp: 'nonsense' });
    assert.deepEqual([status, json['error']], [422, 'sdp cannot be answered: It is no SDP.']);
    assert.deepEqual(await visitor.calls(), []);
  });

  it('is refused with 429 while all UDP ports are in use', async () => {
    const visitor = await visit();
    visitor.voice.hasFreePort = false;
    const { status, json } = await visitor.call();
    assert.deepEqual([status, json['error']], [429, 'Call limit reached. All lines are busy.']);
    assert.deepEqual(await visitor.calls(), []);
  });

  for (const mode of ['pipeline', 'multimodal', 'dualplex'] as const) {
    it(`is refused with 503 in the mode ${mode} if the service does not understand the language`, async () => {
      const visitor = await visit({ limits: { languageId: 2, mode } });
      const { status, json } = await visitor.call();
      assert.equal(status, 503);
      assert.equal(json['error'], 'Voice is not available: German is not understood.');
      const settings = await visitor.service.get(`/api/assistants/${visitor.assistant.uuid}/widget`);
      assert.equal((settings.json['data'] as { web_calls: boolean }).web_calls, false);
    });
  }

  it('is refused by a service without voice, whose public settings offer no web calls', async () => {
    const service = await startService();
    const visitor = await visit({ service });
    const { status, json } = await visitor.call();
    assert.equal(status, 503);
    assert.match(String(json['error']), /^Voice is not available: /);
    const settings = await service.get(`/api/assistants/${visitor.assistant.uuid}/widget`);
    assert.equal((settings.json['data'] as { web_calls: boolean }).web_calls, false);
  });

  it('is refused with 409 during a human handoff', async () => {
    const visitor = await visit();
    const { pool } = visitor.service.running.database;
    await pool.query('UPDATE conversations SET ai_enabled = false WHERE uuid = $1', [
      visitor.path.split('/').at(-1),
    ]);
    const { status, json } = await visitor.call();
    assert.equal(status, 409);
    assert.equal(json['error'], 'Voice is not available: a person answers in this conversation.');
  });
});
