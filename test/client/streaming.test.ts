import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ChatClient, type FunctionCall } from '../../src/client/chat-client.ts';
import { readEventStream } from '../../src/client/event-stream.ts';
import { answerTo, ChatServer } from '../support/servers/chat-server.ts';
import { errorOf } from './chat-error.ts';

let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start({ streams: true });
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

/** Sends a message that is answered with these bytes, piece by piece; gives what was heard and the outcome. */
function streamOf(...pieces: (string | Uint8Array)[]) {
  server.next('send', {
    raw: async (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
      for (const piece of pieces) await write(response, piece);
      response.end();
    },
  });
  const heard: string[] = [];
  const calls: FunctionCall[] = [];
  const answer = client.streamMessage('c', 'Hi', {
    onDelta: (text) => heard.push(text),
    onFunctionCall: (call) => calls.push(call),
  });
  return { heard, calls, answer };
}

const write = (response: ServerResponse, piece: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => response.write(piece, () => setImmediate(resolve)));

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const done = event('done', { status: true, message: 'Hello', function_calls: [] });

describe('a streamed answer', () => {
  it('is told piece by piece and given whole at the end', async () => {
    const { conversation_id } = await client.openConversation({ assistant_id: 'a' });
    const heard: string[] = [];
    const answer = await client.streamMessage(conversation_id, 'One', {
      onDelta: (text) => heard.push(text),
    });
    assert.ok(heard.length > 1);
    assert.equal(heard.join(''), answerTo('One'));
    assert.equal(answer.message, answerTo('One'));
  });

  it('tells of a tool when it is called and again with its result', async () => {
    const call = { name: 'find_order', arguments: { id: 7 } };
    const { calls, answer } = streamOf(
      event('function_call', call),
      event('function_call', { ...call, result: null }),
      done,
    );
    await answer;
    assert.deepEqual(calls, [call, { ...call, result: null }]);
  });

  it('may hold comments, retry times, IDs, unknown events and any line ending', async () => {
    const { heard, answer } = streamOf(
      '\uFEFF: hello\r\n\r\nretry: 10\r\nid: 4\r\n\r\n',
      event('mood', { text: 'no' }),
      'data: {"text":"an event without a name"}\n\n',
      'event: delta\rdata: {"text":\rdata: "Hel"}\r\r',
      event('delta', { text: 'lo', extra: [1] }),
      done,
    );
    assert.equal((await answer).message, 'Hello');
    assert.deepEqual(heard, ['Hel', 'lo']);
  });

  it('ends with its `done`: what comes after is not waited for', async () => {
    const closed = Promise.withResolvers<unknown>();
    server.next('send', {
      raw: (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(done);
        closed.resolve(once(response, 'close'));
      },
    });
    assert.equal((await client.streamMessage('c', 'Hi', {})).message, 'Hello');
    await closed.promise;
  });

  it('that ends without `done` is a broken connection', async () => {
    for (const pieces of [[], [': nothing\n\n'], [event('delta', { text: 'Hel' })], [done.slice(0, -2)]]) {
      const { code, fateUnknown } = await errorOf(streamOf(...pieces).answer);
      assert.deepEqual([code, fateUnknown], ['network', true]);
    }
  });

  it('may end in an error, in the words of the service', async () => {
    for (const body of [
      { status: false, error: 'Failed to process message: no model' },
      { error: 'Failed to process message: no model' },
    ]) {
      const { heard, answer } = streamOf(event('delta', { text: 'Hel' }), event('error', body));
      const { code, message } = await errorOf(answer);
      assert.deepEqual([code, message], ['engine-failed', 'Failed to process message: no model']);
      assert.deepEqual(heard, ['Hel']);
    }
  });

  it('may end in an error without words', async () => {
    for (const data of ['', 'null', '{}', 'oops']) {
      assert.equal((await errorOf(streamOf(`event: error\ndata: ${data}\n\n`).answer)).code, 'bad-response');
    }
  });

  it('with an event that makes no sense is a bad response', async () => {
    for (const piece of [
      'event: delta\ndata: {"text"\n\n',
      event('delta', { text: 7 }),
      event('delta', 'text'),
      event('function_call', { arguments: {} }),
      event('done', { status: true }),
      event('done', { status: false, error: 'No' }),
    ]) {
      assert.equal((await errorOf(streamOf(piece).answer)).code, 'bad-response', piece);
    }
  });

  it('comes to one text however the network cuts it', async () => {
    const text = 'Grüße, 你好, 👩‍👧!';
    const bytes = Buffer.from(event('delta', { text }) + done);
    const { heard, answer } = streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
    await answer;
    assert.equal(heard.join(''), text);
  });
});

describe('reading a stream of events', () => {
  const text = 'ä你👩‍👧';
  const whole = Buffer.from(`: x\r\n\r\n${event('delta', { text })}event: b\r\ndata: 1\r\ndata: 2\r\n\r\n`);
  const expected = [
    ['delta', JSON.stringify({ text })],
    ['b', '1\n2'],
  ];

  let signsOfLife = 0;
  async function read(...pieces: Uint8Array[]): Promise<(string | undefined)[][]> {
    signsOfLife = 0;
    const body = new ReadableStream({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    const response = new Response(body);
    const events = [];
    for await (const { event, data } of readEventStream(response, 1000, () => signsOfLife++))
      events.push([event, data]);
    return events;
  }

  it('gives the same events wherever it is split in two', async () => {
    for (let at = 0; at <= whole.length; at++)
      assert.deepEqual(await read(whole.subarray(0, at), whole.subarray(at)), expected, `split at ${at}`);
  });

  it('gives the same events in pieces of any size', async () => {
    for (let size = 1; size <= whole.length; size++) {
      const count = Math.ceil(whole.length / size);
      const pieces = Array.from({ length: count }, (_, n) => whole.subarray(n * size, (n + 1) * size));
      assert.deepEqual(await read(...pieces), expected, `pieces of ${size}`);
    }
  });

  it('takes every piece for a sign of life, also one with a comment alone', async () => {
    assert.deepEqual(await read(...Array.from({ length: 5 }, () => Buffer.from(': still here\n'))), []);
    assert.equal(signsOfLife, 5);
  });
});
