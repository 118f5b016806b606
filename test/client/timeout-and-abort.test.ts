import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ChatClient } from '../../src/client/chat-client.ts';
import { ChatServer, eventsOf } from '../support/servers/chat-server.ts';
import { until } from '../support/until.ts';
import { errorOf } from './chat-error.ts';

let server: ChatServer;

// A request that times out before it reaches the server leaves its step there.
beforeEach(async () => {
  server = await ChatServer.start({ streams: true });
});
afterEach(() => server.stop());

const withTimeout = () => new ChatClient({ baseUrl: server.url, timeout: 40, answerTimeout: 40 });
const withoutTimeout = () => new ChatClient({ baseUrl: server.url });

const startStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
};

describe('a timeout', () => {
  const calls = {
    open: () => withTimeout().openConversation({ assistant_id: 'a' }),
    read: () => withTimeout().resumeConversation('c'),
    widget: () => withTimeout().readWidget('a'),
    send: () => withTimeout().sendMessage('c', 'Hi'),
  };
  for (const [operation, call] of Object.entries(calls)) {
    it(`rejects a request without a response: ${operation}`, async () => {
      server.next(operation as keyof typeof calls, { raw: () => undefined });
      const { code, message, outcomeUnknown } = await errorOf(call());
      assert.deepEqual([code, outcomeUnknown], ['timeout', true]);
      assert.match(message, /0\.04 seconds/);
    });
  }

  it('of Infinity never passes', async () => {
    const client = new ChatClient({ baseUrl: server.url, timeout: Infinity });
    await assert.doesNotReject(client.deleteConversation('c'));
  });

  it('rejects a response that stalls', async () => {
    const stalledResponses = [
      startStream,
      (response: ServerResponse) => {
        response.writeHead(200).write('{"status": true,');
      },
      (response: ServerResponse) => {
        startStream(response);
        response.write(eventsOf('One two')[0]);
      },
    ];
    for (const raw of stalledResponses) {
      server.next('send', { raw });
      assert.equal((await errorOf(withTimeout().streamMessage('c', 'Hi', {}))).code, 'timeout');
    }
  });

  it('closes the connection', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const requested = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        requested.resolve(response);
      },
    });
    const error = errorOf(withTimeout().sendMessage('c', 'Hi'));
    const response = await requested.promise;
    const closed = once(response, 'close');
    test.mock.timers.tick(40);
    assert.equal((await error).code, 'timeout');
    await closed;
  });

  it('is longer for an answer than for other requests', async () => {
    const client = new ChatClient({ baseUrl: server.url, timeout: 40, answerTimeout: 3_600_000 });
    const requested = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        requested.resolve(response);
      },
    });
    server.next('read', { raw: () => undefined });
    const answer = client.sendMessage('c', 'Hi');
    const response = await requested.promise;
    assert.equal((await errorOf(client.resumeConversation('c'))).code, 'timeout');
    response.end('{"status": true, "message": "At last"}');
    assert.equal((await answer).message, 'At last');
  });
});

describe('the timeout', () => {
  it('restarts with every received chunk, including comments', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const client = new ChatClient({ baseUrl: server.url, answerTimeout: 1000 });
    const requested = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        startStream(response);
        requested.resolve(response);
      },
    });
    let deltas = 0;
    const answer = client.streamMessage('c', 'Hi', { onDelta: () => deltas++ });
    const response = await requested.promise;
    // The event after each comment shows when the comment has arrived.
    for (let n = 1; n <= 5; n++) {
      response.write(`: still here\n\n${eventsOf('One')[0] ?? ''}`);
      await until(() => deltas === n);
      test.mock.timers.tick(999);
    }
    response.write(': still here\n\n');
    response.end(eventsOf('One')[1]);
    assert.equal((await answer).message, 'One');
  });
});

describe('aborting', () => {
  it('before the request prevents it', async () => {
    const before = server.requests.length;
    const options = { signal: AbortSignal.abort('gone') };
    for (const call of [
      () => withoutTimeout().openConversation({ assistant_id: 'a' }, options),
      () => withoutTimeout().resumeConversation('c', options),
      () => withoutTimeout().readWidget('a', options),
      () => withoutTimeout().sendMessage('c', 'Hi', options),
      () => withoutTimeout().streamMessage('c', 'Hi', {}, options),
    ]) {
      const { code, cause, outcomeUnknown } = await errorOf(call());
      assert.deepEqual([code, cause, outcomeUnknown], ['aborted', 'gone', true]);
    }
    // Shows that the server would have received the other requests by now.
    await errorOf(withoutTimeout().resumeConversation('c'));
    assert.equal(server.requests.length, before + 1);
  });

  it('before the response rejects the call', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: () => {
        controller.abort();
      },
    });
    assert.equal(
      (await errorOf(withoutTimeout().sendMessage('c', 'Hi', { signal: controller.signal }))).code,
      'aborted',
    );
  });

  it('during a stream stops the deltas', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        startStream(response);
        response.write(eventsOf('One two three').slice(0, 2).join(''));
      },
    });
    const deltas: string[] = [];
    const onDelta = (text: string): void => {
      deltas.push(text);
      if (deltas.length === 2) controller.abort();
    };
    assert.equal(
      (await errorOf(withoutTimeout().streamMessage('c', 'Hi', { onDelta }, { signal: controller.signal })))
        .code,
      'aborted',
    );
    assert.deepEqual(deltas, ['One ', 'two ']);
  });

  it('takes precedence over an error of a listener', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        startStream(response);
        response.write(eventsOf('One two')[0]);
      },
    });
    const onDelta = (): void => {
      controller.abort('enough');
      throw new TypeError('Torn down');
    };
    const call = withoutTimeout().streamMessage('c', 'Hi', { onDelta }, { signal: controller.signal });
    const { code, cause } = await errorOf(call);
    assert.deepEqual([code, cause], ['aborted', 'enough']);
  });

  it('during a JSON response rejects the call', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        response.writeHead(200).write('{"status": true,', () => {
          controller.abort();
        });
      },
    });
    assert.equal(
      (await errorOf(withoutTimeout().sendMessage('c', 'Hi', { signal: controller.signal }))).code,
      'aborted',
    );
  });

  it('after the response has no effect, and no listener remains', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    server.answerNext('send', { status: true, message: 'Done' });
    assert.equal(
      (await withoutTimeout().sendMessage('c', 'Hi', { signal: controller.signal })).message,
      'Done',
    );
    controller.abort();
    assert.equal(listeners, 0);
  });
});
