import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApiClient } from '../../src/client/api-client.ts';
import { ChatClient, ChatError } from '../../src/client/chat-client.ts';
import { startLoopbackServer, type LoopbackServer } from '../support/servers/loopback-server.ts';
import { errorOf } from './chat-error.ts';

let server: LoopbackServer;
/** The methods that have arrived at the address behind the redirect. */
const arrived: string[] = [];
/** The status of the redirects. */
let status = 301;

before(async () => {
  server = await startLoopbackServer(({ path, method }, response) => {
    if (!path.startsWith('/old/')) {
      arrived.push(method);
      return { status: true, history: [], data: [], total: 0 };
    }
    response.writeHead(status, { Location: `${server.url}${path.slice('/old'.length)}` }).end();
    return undefined;
  });
});
after(() => server.close());

describe('a service that redirects', () => {
  for (const code of [301, 302, 303, 307, 308])
    it(`with ${code} gets no other request in place of a POST, and the error says so`, async () => {
      status = code;
      arrived.length = 0;
      const baseUrl = `${server.url}/old`;
      const chat = new ChatClient({ baseUrl });
      const api = createApiClient({ baseUrl, apiKey: 'key' });
      for (const call of [
        () => chat.openConversation({ assistant_id: 'a' }),
        () => chat.sendMessage('c', 'Hello'),
        () => chat.streamMessage('c', 'Hello', {}),
        () => api.createLead({ body: { phone_number: '+491701234567', campaign_id: 1 } }),
      ]) {
        const error = await errorOf(call());
        assert.ok(error instanceof ChatError);
        assert.equal(error.code, 'bad-response');
        assert.match(error.message, /base URL redirects/);
      }
      assert.deepEqual(arrived, []);
    });

  it('is followed by requests that only read', async () => {
    const { history } = await new ChatClient({ baseUrl: `${server.url}/old` }).resumeConversation('c');
    assert.deepEqual(history, []);
  });
});
