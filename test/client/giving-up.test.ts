import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ChatClient } from '../../src/client/chat-client.ts';
import { ChatServer, eventsOf } from '../support/servers/chat-server.ts';
import { until } from '../support/until.ts';
import { errorOf } from './chat-error.ts';

let server: ChatServer;

before(async () => {
  server = await ChatServer.start({ streams: true });
});
after(() => server.stop());

/** A client that waits 40 ms, and one that waits as long as it takes. */
const hasty = () => new ChatClient({ baseUrl: server.url, patience: 40, answerPatience: 40 });
const patient = () => new ChatClient({ baseUrl: server.url });

const headers = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
};

describe('a service that never answers', () => {
  const calls = {
    open: () => hasty().openConversation({ assistant_id: 'a' }),
    read: () => hasty().resumeConversation('c'),
    widget: () => hasty().readWidget('a'),
    send: () => hasty().sendMessage('c', 'Hi'),
  };
  for (const [operation, call] of Object.entries(calls)) {
    it(`makes a time-out: ${operation}`, async () => {
      server.next(operation as keyof typeof calls, { raw: () => undefined });
      const { code, message, fateUnknown } = await errorOf(call());
      assert.deepEqual([code, fateUnknown], ['timeout', true]);
      assert.match(message, /0\.04 seconds/);
    });
  }

  it('makes a time-out in the middle of its answer', async () => {
    const beginnings = [
      headers,
      (response: ServerResponse) => {
        response.writeHead(200).write('{"status": true,');
      },
      (response: ServerResponse) => {
        headers(response);
        response.write(eventsOf('One two')[0]);
      },
    ];
    for (const raw of beginnings) {
      server.next('send', { raw });
      assert.equal((await errorOf(hasty().streamMessage('c', 'Hi', {}))).code, 'timeout');
    }
  });

  it('lets go of the connection', async () => {
    const closed = Promise.withResolvers<unknown>();
    server.next('send', {
      raw: (response) => {
        closed.resolve(once(response, 'close'));
      },
    });
    await errorOf(hasty().sendMessage('c', 'Hi'));
    await closed.promise;
  });

  it('has longer for an answer than for anything else', async () => {
    const client = new ChatClient({ baseUrl: server.url, patience: 40, answerPatience: 3_600_000 });
    const asked = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        asked.resolve(response);
      },
    });
    server.next('read', { raw: () => undefined });
    const answer = client.sendMessage('c', 'Hi');
    const response = await asked.promise;
    assert.equal((await errorOf(client.resumeConversation('c'))).code, 'timeout');
    response.end('{"status": true, "message": "At last"}');
    assert.equal((await answer).message, 'At last');
  });
});

describe('the deadline', () => {
  it('is put off by every sign of life, comments included', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const client = new ChatClient({ baseUrl: server.url, answerPatience: 1000 });
    const asked = Promise.withResolvers<ServerResponse>();
    server.next('send', {
      raw: (response) => {
        headers(response);
        asked.resolve(response);
      },
    });
    let heard = 0;
    const answer = client.streamMessage('c', 'Hi', { onDelta: () => heard++ });
    const response = await asked.promise;
    // Each comment travels with an event, which shows when it has arrived.
    for (let n = 1; n <= 5; n++) {
      response.write(`: still here\n\n${eventsOf('One')[0] ?? ''}`);
      await until(() => heard === n);
      test.mock.timers.tick(999);
    }
    response.write(': still here\n\n');
    response.end(eventsOf('One')[1]);
    assert.equal((await answer).message, 'One');
  });
});

describe('giving up', () => {
  it('before the request sends nothing', async () => {
    const before = server.requests.length;
    const options = { signal: AbortSignal.abort('gone') };
    for (const call of [
      () => patient().openConversation({ assistant_id: 'a' }, options),
      () => patient().resumeConversation('c', options),
      () => patient().readWidget('a', options),
      () => patient().sendMessage('c', 'Hi', options),
      () => patient().streamMessage('c', 'Hi', {}, options),
    ]) {
      const { code, cause, fateUnknown } = await errorOf(call());
      assert.deepEqual([code, cause, fateUnknown], ['aborted', 'gone', true]);
    }
    // A further request shows that the server had time for the others.
    await errorOf(patient().resumeConversation('c'));
    assert.equal(server.requests.length, before + 1);
  });

  it('while the service thinks', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: () => {
        controller.abort();
      },
    });
    assert.equal(
      (await errorOf(patient().sendMessage('c', 'Hi', { signal: controller.signal }))).code,
      'aborted',
    );
  });

  it('in the middle of a stream: nothing more is heard', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        headers(response);
        response.write(eventsOf('One two three').slice(0, 2).join(''));
      },
    });
    const heard: string[] = [];
    const onDelta = (text: string): void => {
      heard.push(text);
      if (heard.length === 2) controller.abort();
    };
    assert.equal(
      (await errorOf(patient().streamMessage('c', 'Hi', { onDelta }, { signal: controller.signal }))).code,
      'aborted',
    );
    assert.deepEqual(heard, ['One ', 'two ']);
  });

  it('is what counts, whatever else goes wrong at that moment', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        headers(response);
        response.write(eventsOf('One two')[0]);
      },
    });
    const onDelta = (): void => {
      controller.abort('enough');
      throw new TypeError('Torn down');
    };
    const call = patient().streamMessage('c', 'Hi', { onDelta }, { signal: controller.signal });
    const { code, cause } = await errorOf(call);
    assert.deepEqual([code, cause], ['aborted', 'enough']);
  });

  it('in the middle of JSON', async () => {
    const controller = new AbortController();
    server.next('send', {
      raw: (response) => {
        response.writeHead(200).write('{"status": true,', () => {
          controller.abort();
        });
      },
    });
    assert.equal(
      (await errorOf(patient().sendMessage('c', 'Hi', { signal: controller.signal }))).code,
      'aborted',
    );
  });

  it('after the answer changes nothing, and leaves no listener behind', async () => {
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
    assert.equal((await patient().sendMessage('c', 'Hi', { signal: controller.signal })).message, 'Done');
    controller.abort();
    assert.equal(listeners, 0);
  });
});
