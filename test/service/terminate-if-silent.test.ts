import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { terminateIfSilent } from '../../src/service/lib/terminate-if-silent.ts';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await once(server, 'listening');
after(() => {
  server.close();
});

/** Opens a connection that is pinged every second of simulated time. */
async function connect(context: TestContext) {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  terminateIfSilent(client, 1000);
  const [peer] = (await once(server, 'connection')) as [WebSocket];
  if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
  context.after(async () => {
    if (client.readyState === WebSocket.CLOSED) return;
    client.terminate();
    await once(client, 'close');
  });
  const tick = () => {
    context.mock.timers.tick(1000);
  };
  return { client, peer, tick };
}

describe('a connection that is pinged', () => {
  it('stays open while pongs arrive', async (context) => {
    const { client, tick } = await connect(context);
    for (let count = 0; count < 3; count++) {
      const ponged = once(client, 'pong');
      tick();
      await ponged;
    }
    assert.equal(client.readyState, WebSocket.OPEN);
  });

  it('stays open while messages arrive', async (context) => {
    const { client, peer, tick } = await connect(context);
    peer.pause();
    for (let count = 0; count < 3; count++) {
      const received = once(client, 'message');
      tick();
      peer.send('one');
      await received;
    }
    assert.equal(client.readyState, WebSocket.OPEN);
  });

  it('is terminated if nothing arrives until the next ping', async (context) => {
    const { client, peer, tick } = await connect(context);
    peer.pause();
    const closed = once(client, 'close');
    tick();
    assert.equal(client.readyState, WebSocket.OPEN);
    tick();
    assert.equal((await closed)[0], 1006);
  });
});
