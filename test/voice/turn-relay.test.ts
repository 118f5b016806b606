import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright';
import { eventually } from '../support/eventually.ts';
import { ask } from '../support/voice/ask.ts';
import { startCallService } from '../support/voice/call-service.ts';
import type { CallService } from '../support/voice/call-service.ts';
import { record } from '../support/voice/recording.ts';
import { hasTurnServer, startTurnServer } from '../support/voice/turn-server.ts';
import type { TurnServer } from '../support/voice/turn-server.ts';
import { callEngines, launch, VisitorPage } from '../support/voice/visitor-page.ts';

const isInstalled = hasTurnServer();
if (!isInstalled && process.env['REQUIRE_ALL'] === '1') throw new Error('coturn is not installed.');

const question = await record('Can you tell me your opening hours?');

/** Runs in the page: its connections use only relays, as on a network that blocks everything but the TURN server. */
function blockDirectConnections(): void {
  const Original = RTCPeerConnection;
  const connections: RTCPeerConnection[] = [];
  Object.assign(globalThis, {
    connections,
    RTCPeerConnection: class extends Original {
      constructor(options?: RTCConfiguration) {
        super({ ...options, iceTransportPolicy: 'relay' });
        connections.push(this);
      }
    },
  });
}

/** The candidate of the page's side in the connection that is in use. */
async function usedCandidate(visitor: VisitorPage): Promise<string | undefined> {
  return visitor.page.evaluate(async () => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const stats = [...((await connections.at(-1)?.getStats())?.values() ?? [])] as Record<string, unknown>[];
    const pair = stats.find(({ type, state }) => type === 'candidate-pair' && state === 'succeeded');
    const local = stats.find(({ id }) => id === pair?.['localCandidateId']);
    return local && `${String(local['candidateType'])} over ${String(local['relayProtocol'])}`;
  });
}

describe('a call through a TURN server', { skip: !isInstalled && 'coturn is not installed' }, () => {
  let turn: TurnServer;
  let service: CallService;
  before(async () => {
    turn = await startTurnServer();
    service = await startCallService({ VOICE_TURN_URL: turn.url, VOICE_TURN_SECRET: turn.secret });
  });
  after(() => turn.stop());

  it('relays no TCP, which calls do not need', async () => {
    const { hostname, port } = new URL(turn.url.replace('turn:', 'turn://'));
    const toItself = ['-e', hostname, '-r', port];
    const options = ['-t', '-T', '-c', '-n', '1', '-u', 'anna', '-W', turn.secret, '-p', port, ...toItself];
    await assert.rejects(promisify(execFile)('turnutils_uclient', [...options, hostname]), ({ stdout }) =>
      /error 442 \(TCP Transport is not allowed/.test(String(stdout)),
    );
  });

  for (const engine of callEngines()) {
    describe(`from ${engine.name}`, () => {
      let browser: Browser;
      before(async () => {
        // Otherwise Firefox connects to no TURN server at a loopback address.
        browser = await launch(engine, { 'media.peerconnection.ice.loopback': true });
      });
      after(() => browser.close());

      it('is heard on both sides', async () => {
        const context = await browser.newContext();
        await context.addInitScript(`(${String(blockDirectConnections)})()`);
        const visitor = await VisitorPage.open(context, service.running.url);
        await visitor.callAndListen();
        assert.equal(await eventually('the connection', () => usedCandidate(visitor)), 'relay over tcp');
        await ask(visitor, service.calls.at(-1), question);
        await visitor.message(/^assistant: Our shop in Freiburg is open/);
        await visitor.part('call-end-button').click();
        assert.deepEqual(visitor.errors, []);
        await context.close();
      });
    });
  }
});
