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

/** Sends a message whose response consists of these chunks; returns the deltas, the tool calls and the answer. */
function streamOf(...chunks: (string | Uint8Array)[]) {
  server.next('send', {
    raw: async (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
      for (const chunk of chunks) await write(response, chunk);
      response.end();
    },
  });
  const deltas: string[] = [];
  const calls: FunctionCall[] = [];
  const answer = client.streamMessage('c', 'Hi', {
    onDelta: (text) => deltas.push(text),
    onFunctionCall: (call) => calls.push(call),
  });
  return { deltas, calls, answer };
}

const write = (response: ServerResponse, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => response.write(chunk, () => setImmediate(resolve)));

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const done = event('done', { status: true, message: 'Hello', function_calls: [] });

describe('a streamed answer', () => {
  it('is delivered in deltas and returned complete at the end', async () => {
    const { conversation_id } = await client.openConversation({ assistant_id: 'a' });
    const deltas: string[] = [];
    const answer = await client.streamMessage(conversation_id, 'One', {
      onDelta: (text) => deltas.push(text),
    });
    assert.ok(deltas.length > 1);
    assert.equal(deltas.join(''), answerTo('One'));
    assert.equal(answer.message, answerTo('One'));
  });

  it('is aborted by an error of a listener, which is the cause', async () => {
    const error = new Error('of the page');
    const throwing = () => {
      throw error;
    };
    const { conversation_id } = await client.openConversation({ assistant_id: 'a' });
    const { code, cause } = await errorOf(
      client.streamMessage(conversation_id, 'One', { onDelta: throwing }),
    );
    assert.deepEqual([code, cause], ['aborted', error]);
  });

  it('reports a tool call when it starts and again with its result', async () => {
    const call = { name: 'find_order', arguments: { id: 7 } };
    const { calls, answer } = streamOf(
      event('function_call', call),
      event('function_call', { ...call, result: null }),
      done,
    );
    await answer;
    assert.deepEqual(calls, [call, { ...call, result: null }]);
  });

  it('may contain comments, retry times, IDs, unknown events and any line ending', async () => {
    const { deltas, answer } = streamOf(
      '\uFEFF: hello\r\n\r\nretry: 10\r\nid: 4\r\n\r\n',
      event('mood', { text: 'no' }),
      'data: {"text":"an event without a name"}\n\n',
      'event: delta\rdata: {"text":\rdata: "Hel"}\r\r',
      event('delta', { text: 'lo', extra: [1] }),
      done,
    );
    assert.equal((await answer).message, 'Hello');
    assert.deepEqual(deltas, ['Hel', 'lo']);
  });

  /** Streams a complete answer; the service does not close its response. */
  async function streamWithoutEnd(): Promise<ServerResponse> {
    const opened = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(done);
        opened.resolve(response);
      },
    });
    assert.equal((await client.streamMessage('c', 'Hi', {})).message, 'Hello');
    return opened.promise;
  }

  it('is returned with `done`, after which the service closes the stream', async () => {
    const response = await streamWithoutEnd();
    // The service would have noticed by now if the client had closed the connection.
    await client.openConversation({ assistant_id: 'a' });
    assert.equal(response.destroyed, false);
    const closed = once(response, 'close');
    response.end(event('delta', { text: 'ignored' }));
    await closed;
    assert.equal(response.writableFinished, true);
  });

  it('closes the connection if the service does not within a second after `done`', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const closed = once(await streamWithoutEnd(), 'close');
    test.mock.timers.tick(1000);
    await closed;
  });

  it('is a broken connection if it ends without `done`', async () => {
    for (const chunks of [[], [': nothing\n\n'], [event('delta', { text: 'Hel' })], [done.slice(0, -2)]]) {
      const { code, outcomeUnknown } = await errorOf(streamOf(...chunks).answer);
      assert.deepEqual([code, outcomeUnknown], ['network', true]);
    }
  });

  it('may end with an error of the service', async () => {
    for (const body of [
      { status: false, error: 'Failed to process message: no model' },
      { error: 'Failed to process message: no model' },
    ]) {
      const { deltas, answer } = streamOf(event('delta', { text: 'Hel' }), event('error', body));
      const { code, message } = await errorOf(answer);
      assert.deepEqual([code, message], ['engine-failed', 'Failed to process message: no model']);
      assert.deepEqual(deltas, ['Hel']);
    }
  });

  it('may end with an error without a message', async () => {
    for (const data of ['', 'null', '{}', 'oops']) {
      assert.equal((await errorOf(streamOf(`event: error\ndata: ${data}\n\n`).answer)).code, 'bad-response');
    }
  });

  it('is a bad response if an event is invalid', async () => {
    for (const chunk of [
      'event: delta\ndata: {"text"\n\n',
      event('delta', { text: 7 }),
      event('delta', 'text'),
      event('function_call', { arguments: {} }),
      event('done', { status: true }),
      event('done', { status: false, error: 'No' }),
    ]) {
      assert.equal((await errorOf(streamOf(chunk).answer)).code, 'bad-response', chunk);
    }
  });

  it('is decoded correctly if characters are split across chunks', async () => {
    const text = 'Grüße, 你好, 👩‍👧!';
    const bytes = Buffer.from(event('delta', { text }) + done);
    const { deltas, answer } = streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
    await answer;
    assert.equal(deltas.join(''), text);
  });
});

describe('readEventStream', () => {
  const text = 'ä你👩‍👧';
  const whole = Buffer.from(`: x\r\n\r\n${event('delta', { text })}event: b\r\ndata: 1\r\ndata: 2\r\n\r\n`);
  const expected = [
    ['delta', JSON.stringify({ text })],
    ['b', '1\n2'],
  ];

  let chunkCount = 0;
  async function read(...chunks: Uint8Array[]): Promise<(string | undefined)[][]> {
    chunkCount = 0;
    const body = new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const response = new Response(body);
    const events = [];
    for await (const { event, data } of readEventStream(response, 1000, () => chunkCount++))
      events.push([event, data]);
    return events;
  }

  it('yields the same events wherever the stream is split', async () => {
    for (let at = 0; at <= whole.length; at++)
      assert.deepEqual(await read(whole.subarray(0, at), whole.subarray(at)), expected, `split at ${at}`);
  });

  it('yields the same events for chunks of any size', async () => {
    for (let size = 1; size <= whole.length; size++) {
      const count = Math.ceil(whole.length / size);
      const chunks = Array.from({ length: count }, (_, n) => whole.subarray(n * size, (n + 1) * size));
      assert.deepEqual(await read(...chunks), expected, `chunks of ${size}`);
    }
  });

  it('calls onChunk for every chunk, also for comments', async () => {
    assert.deepEqual(await read(...Array.from({ length: 5 }, () => Buffer.from(': still here\n'))), []);
    assert.equal(chunkCount, 5);
  });
});
