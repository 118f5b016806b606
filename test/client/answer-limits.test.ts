import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ChatClient } from '../../src/client/chat-client.ts';
import { limits } from '../../src/contract/limits.ts';
import { ChatServer } from '../support/servers/chat-server.ts';
import { errorOf } from './chat-error.ts';

const { characters, functionCalls } = limits.answer;
const call = { name: 'look_up', arguments: { id: 1 } };
let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start();
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

/** Streams an answer that repeats one event, then completes it. */
function streamRepeated(event: string, count: number): void {
  server.next('send', {
    raw: (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(event.repeat(count));
      response.end('event: done\ndata: {"status":true,"message":"Done","function_calls":[]}\n\n');
    },
  });
}

describe('the client limits', () => {
  it('the tool calls of a streamed answer', async () => {
    streamRepeated(`event: function_call\ndata: ${JSON.stringify(call)}\n\n`, 100_000);
    let received = 0;
    const { message } = await client.streamMessage('c', 'Hi', { onFunctionCall: () => received++ });
    assert.deepEqual([received, message], [functionCalls, 'Done']);
  });

  it('the size of a streamed answer with a million tool calls', async () => {
    streamRepeated(`event: function_call\ndata: ${JSON.stringify(call)}\n\n`, 1_000_000);
    let received = 0;
    const error = await errorOf(client.streamMessage('c', 'Hi', { onFunctionCall: () => received++ }));
    assert.deepEqual([error.code, received], ['response-too-large', functionCalls]);
  });

  it('the text of a streamed answer', async () => {
    streamRepeated(`event: delta\ndata: {"text":"[a]: b\\n"}\n\n`, 50_000);
    let text = '';
    await client.streamMessage('c', 'Hi', { onDelta: (delta) => (text += delta) });
    assert.equal(text.length, characters);
  });

  it('the text and the tool calls of a JSON answer', async () => {
    const calls = Array.from({ length: 50_000 }, () => call);
    const body = { status: true, message: '[a]: b\n'.repeat(50_000), function_calls: calls };
    server.answerNext('send', body);
    const answer = await client.sendMessage('c', 'Hi');
    assert.deepEqual([answer.message.length, answer.function_calls.length], [characters, functionCalls]);
  });

  it('the messages of a history', async () => {
    const calls = Array.from({ length: 50_000 }, () => call);
    const message = { role: 'assistant', content: 'a'.repeat(1_000_000), function_calls: calls };
    server.answerNext('read', { status: true, history: [message] });
    const [read] = (await client.resumeConversation('c')).history;
    assert.deepEqual([read?.content.length, read?.function_calls.length], [characters, functionCalls]);
  });

  it('the name of an assistant', async () => {
    server.answerNext('widget', { status: true, data: { name: 'a'.repeat(8_000_000) } });
    assert.equal((await client.readWidget('a')).data.name.length, characters);
    server.answerNext('widget', { status: true, data: { name: 'a'.repeat(50_000_000) } });
    assert.equal((await errorOf(client.readWidget('a'))).code, 'response-too-large');
  });
});
