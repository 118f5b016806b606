import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CarrierError } from '../../src/service/carrier/carrier-error.ts';
import type { AriRequest, FakeAri } from '../support/asterisk/fake-ari.ts';
import { application, CarrierAtAsterisk } from '../support/asterisk/carrier-at-asterisk.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process/free-port.ts';
import { startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

let at: CarrierAtAsterisk;
let ari: FakeAri;
/** Whether `carrier.settled()` has resolved. */
let isSettled: boolean;

beforeEach(async () => {
  at = await CarrierAtAsterisk.start();
  ari = at.ari;
  isSettled = false;
});
afterEach(async () => {
  ari.hangsUp = true;
  await at.close();
});

const settle = () => {
  void at.carrier.settled().then(() => {
    isSettled = true;
  });
};

const types = () => at.reports.map(({ type }) => type);

describe('a shutdown', () => {
  it('waits for a ringing call', async () => {
    const { app, channelId } = await at.dial();
    settle();
    ari.send(app, 'ChannelStateChange', channelId, {
      channel: { id: channelId, state: 'Ringing', caller: { number: '' }, dialplan: { exten: '' } },
    });
    await until(() => types().includes('ringing'));
    assert.equal(isSettled, false);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 17 });
    await until(() => isSettled);
    assert.deepEqual(types(), ['ringing', 'unreached']);
  });

  it('waits for the end of a transferred call', async () => {
    at.disconnected = () =>
      Promise.resolve({ type: 'transfer', to: '+4930', callerId: '', ringingTime: 9, maxDuration: 60 });
    const { app, channelId } = await at.answer();
    await until(() => at.lines.length === 1);
    await at.lines[0]?.leave();
    at.finish();
    await ari.received('POST', /^\/channels$/, 2);
    settle();
    await nextTurn();
    assert.equal(isSettled, false);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await until(() => isSettled);
    assert.deepEqual(types(), ['ended']);
  });

  it('reports that the other phone was answered, before the end of the call', async () => {
    at.disconnected = () =>
      Promise.resolve({ type: 'transfer', to: '+4930', callerId: '', ringingTime: 9, maxDuration: 60 });
    const { app, channelId } = await at.answer();
    await until(() => at.lines.length === 1);
    await at.lines[0]?.leave();
    at.finish();
    const { query } = await ari.received('POST', /^\/channels$/, 2);
    ari.send(app, 'StasisStart', query['channelId'] ?? '');
    await until(() => at.reports.length === 1);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await until(() => at.reports.length === 2);
    assert.deepEqual(types(), ['transfer-answered', 'ended']);
  });

  it('receives the last reports of the calls that it ends', async () => {
    ari.hangsUp = false;
    const { app, channelId } = await at.dial();
    const closed = at.carrier.close();
    await ari.received('DELETE', new RegExp(channelId));
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await closed;
    assert.deepEqual(types(), ['unreached']);
  });
});

describe('a message of Asterisk that is not a valid event', () => {
  it('is ignored, on both connections', async () => {
    const { app, channelId } = await at.answer();
    const media = await ari.media;
    await until(() => at.lines.length === 1);
    for (const text of ['', 'null', '[]', 'no JSON', '{"event":7}', '{"type":7}']) {
      media.send(text);
      ari.sendText(app, text);
    }
    // The connection of the audio ends after its messages.
    media.close();
    await until(() => at.lines[0]?.hasEnded === true);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await at.carrier.settled();
    assert.deepEqual(types(), ['ended']);
  });
});

describe('a service without a connection to Asterisk', () => {
  /** Starts a service for an Asterisk. Returns a function that reads its warnings. */
  async function startAt(url: string): Promise<() => Promise<string[]>> {
    const asterisk = { CARRIER: 'asterisk', ASTERISK_URL: url, ASTERISK_PASSWORD: 'secret-password' };
    const env = { ...asterisk, CARRIER_COUNTRIES: '*' };
    const service = await startService(env, { voice: new MemoryVoice() });
    return async () => (await service.get('/readyz')).json['warnings'] as string[];
  }

  it('reports the address and the reason in /readyz until it is connected', async () => {
    ari.accepting = Promise.resolve(false);
    const warnings = await startAt(ari.url);
    const [warning] = await eventually('the warning', async () => {
      const current = await warnings();
      return current.length > 0 && current;
    });
    assert.equal(
      warning,
      `Asterisk at ${ari.url} refuses the user or the password (401). ASTERISK_USER and ASTERISK_PASSWORD must be those in ari.conf. No phone calls are possible.`,
    );
    ari.accepting = Promise.resolve(true);
    await eventually('the connection', async () => (await warnings()).length === 0);
  });

  it('reports in /readyz that Asterisk does not run', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    const warnings = await startAt(url);
    await eventually('the warning', async () => (await warnings()).length > 0);
    assert.deepEqual(await warnings(), [
      `Asterisk at ${url} cannot be reached (ECONNREFUSED). Check ASTERISK_URL, and whether Asterisk runs. No phone calls are possible.`,
    ]);
  });
});

describe('a lost event connection', () => {
  /** Returns whether the service has sent a request to dial. */
  const hasDialed = async () => {
    // An earlier request has arrived by then.
    await at.carrier.hangUp('another-channel');
    return ari.requests.some(({ method, path }) => method + path === 'POST/channels');
  };

  /** Returns the channels that the service has asked Asterisk for. */
  const checkedChannels = async () => {
    // Earlier requests have arrived by then, also if one of them waits for the answer to another.
    for (let times = 0; times < 3; times++) await at.carrier.hangUp('another-channel');
    return ari.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/channels/'));
  };

  it('delays a call until events are received again', async () => {
    const app = await at.application();
    const accepting = Promise.withResolvers<boolean>();
    ari.accepting = accepting.promise;
    await ari.disconnect(app);
    const dialing = at.dial();
    assert.equal(await hasDialed(), false);
    accepting.resolve(true);
    await dialing;
    assert.equal(await hasDialed(), true);
  });

  it('refuses a call if no events can be received', async () => {
    const app = await at.application();
    ari.accepting = Promise.resolve(false);
    await ari.disconnect(app);
    await assert.rejects(at.dial(), {
      name: 'CarrierError',
      message: /cannot be reached/,
      isTemporary: true,
    });
    assert.equal(await hasDialed(), false);
  });

  it('is opened again for inbound calls although Asterisk has not noticed the loss', async () => {
    await ari.connected((name) => name === application);
    ari.keepsApplication = true;
    await ari.disconnect(application);
  });

  it('is opened again for inbound calls after another process, which had taken them, has ended', async () => {
    await ari.connected((name) => name === application);
    await ari.replace(application);
  });

  it('ends no call that is being dialed', async () => {
    const dialed = Promise.withResolvers<undefined>();
    ari.delay = ({ method, path }) => (method + path === 'POST/channels' ? dialed.promise : undefined);
    ari.refuses = /^\/channels\//;
    const dialing = at.dial();
    await ari.received('POST', /^\/channels$/);
    await ari.reconnect(await at.application());
    assert.deepEqual(await checkedChannels(), []);
    ari.refuses = undefined;
    dialed.resolve(undefined);
    const { channelId } = await dialing;
    await ari.received('GET', new RegExp(channelId));
    assert.deepEqual(types(), []);
  });

  it('ends no transfer that is being dialed', async () => {
    at.disconnected = () =>
      Promise.resolve({ type: 'transfer', to: '+4930', callerId: '', ringingTime: 9, maxDuration: 60 });
    const { app } = await at.answer();
    await until(() => at.lines.length === 1);
    await at.lines[0]?.leave();
    const dialed = Promise.withResolvers<undefined>();
    const isDial = ({ method, path }: AriRequest) => method + path === 'POST/channels';
    ari.delay = (request) => (isDial(request) ? dialed.promise : undefined);
    at.finish();
    const { query } = await ari.received('POST', /^\/channels$/, 2);
    const otherPhone = query['channelId'] ?? '';
    ari.refuses = new RegExp(`^/channels/${otherPhone}$`);
    await ari.reconnect(app);
    assert.deepEqual(await checkedChannels(), []);
    ari.refuses = undefined;
    dialed.resolve(undefined);
    await ari.received('GET', new RegExp(otherPhone));
    ari.send(app, 'StasisStart', otherPhone);
    await until(() => types().includes('transfer-answered'));
  });

  it('ends a call whose channel disappeared meanwhile', async () => {
    const { app } = await at.dial();
    ari.refuses = /^\/channels\//;
    await ari.reconnect(app);
    await at.carrier.settled();
    assert.deepEqual(types(), ['unreached']);
  });
});

describe('a call whose audio cannot be connected', () => {
  it('leaves no channel for the audio', async () => {
    ari.connectsMedia = false;
    const { channelId } = await at.answer();
    const { query } = await ari.received('POST', /externalMedia$/);
    await ari.received('DELETE', new RegExp(`^/channels/${channelId}$`));
    assert(
      ari.requests.some(
        ({ method, path }) => `${method} ${path}` === `DELETE /channels/${query['channelId'] ?? ''}`,
      ),
    );
  });
});

describe('a dial that fails with an internal error', () => {
  beforeEach(() => {
    ari.fails = /^POST \/channels$/;
  });

  it('has dialed nothing if there is no channel', async () => {
    ari.refuses = /^\/channels\//;
    await assert.rejects(at.dial(), { name: 'CarrierError', reason: 'carrier-error', isTemporary: false });
    await at.carrier.settled();
    assert.deepEqual(types(), []);
  });

  it('hangs up a channel that is answered later', async () => {
    ari.refuses = /^\/channels\//;
    await assert.rejects(at.dial(), CarrierError);
    const { query } = await ari.received('POST', /^\/channels$/);
    const { app = '', channelId = '' } = query;
    ari.send(app, 'StasisStart', channelId);
    await ari.received('DELETE', new RegExp(`^/channels/${channelId}$`));
  });

  it('continues if the channel exists', async () => {
    const { app, channelId } = await at.answer();
    await until(() => at.lines.length === 1);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await at.carrier.settled();
    assert.deepEqual(types(), ['ended']);
  });
});

describe('a transfer whose process has died', () => {
  it('is ended by another process, with the other phone', async () => {
    assert.equal(await at.carrier.hangUpTransfer('their-channel'), true);
    const ended = ari.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    assert.deepEqual(ended, ['/channels/their-channel-transfer', '/channels/their-channel']);
    ari.refuses = /^\/channels\//;
    assert.equal(await at.carrier.hangUpTransfer('their-channel'), false);
  });
});

describe('a customer who hangs up while the bridge is created', () => {
  it('leaves no bridge', async () => {
    const created = Promise.withResolvers<undefined>();
    ari.delay = ({ path }) => (path === '/bridges' ? created.promise : undefined);
    const { app, channelId } = await at.answer();
    await ari.received('POST', /^\/bridges$/);
    ari.refuses = /\/addChannel$/;
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await until(() => types().includes('ended'));
    created.resolve(undefined);
    await ari.received('DELETE', /^\/bridges\/bridge$/);
    await at.carrier.settled();
    assert.deepEqual(types(), ['ended']);
  });
});

describe('a recorded call', () => {
  it('is settled if its recording fails', async () => {
    await at.close();
    at = await CarrierAtAsterisk.start({ record: true });
    ({ ari } = at);
    const { app, channelId } = await at.answer();
    const { query } = await ari.received('POST', /\/record$/);
    await until(() => at.lines.length === 1);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await ari.received('DELETE', /^\/bridges\//);
    ari.send(app, 'RecordingFailed', channelId, { recording: { name: query['name'] } });
    await at.carrier.settled();
    assert.deepEqual(types(), ['ended']);
  });
});

describe('a call whose end Asterisk does not process', () => {
  it('leaves no bridge if another request fails', async () => {
    ari.fails = /^DELETE \/channels\//;
    const { app, channelId } = await at.answer();
    await until(() => at.lines.length === 1);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await ari.received('DELETE', /^\/bridges\//);
    await at.carrier.settled();
    ari.fails = undefined;
  });

  it('is settled without its recording', async () => {
    await at.close();
    at = await CarrierAtAsterisk.start({ record: true });
    ({ ari } = at);
    ari.fails = /^DELETE \/bridges\//;
    const { app, channelId } = await at.answer();
    await until(() => at.lines.length === 1);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    await at.carrier.settled();
    assert.deepEqual(types(), ['ended']);
  });
});

describe('a recorded call that a restart of Asterisk ends', () => {
  for (const [name, lost, reports] of [
    ['reports the stored recording', /^\/(channels|bridges)\//, ['ended', 'recorded']],
    ['ends without a recording if none was stored', /^\/(channels|bridges|recordings)\//, ['ended']],
  ] as const)
    it(name, async () => {
      await at.close();
      at = await CarrierAtAsterisk.start({ record: true });
      ({ ari } = at);
      const { app } = await at.answer();
      await until(() => at.lines.length === 1);
      ari.refuses = lost;
      await ari.reconnect(app);
      await at.carrier.settled();
      assert.deepEqual(types(), reports);
    });
});

describe('a caller who hangs up before the call is answered', () => {
  it('is reported as unreached', async () => {
    const app = await at.application();
    const { admit } = at;
    at.admit = async () => {
      ari.refuses = /^\/channels\/their-channel/;
      ari.send(app, 'StasisEnd', 'their-channel');
      return admit();
    };
    ari.send(app, 'StasisStart', 'their-channel', { args: ['inbound'] });
    await until(() => at.reports.length === 1);
    assert.deepEqual(types(), ['unreached']);
    await at.carrier.settled();
  });
});
