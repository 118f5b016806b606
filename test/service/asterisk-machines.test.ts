import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { AsteriskCarrier } from '../../src/service/carrier/asterisk/asterisk-carrier.ts';
import type { Admission, CallReport, OutgoingCall } from '../../src/service/carrier/carrier.ts';
import { AriStandIn } from '../support/asterisk/ari-stand-in.ts';
import { ScriptedSpeech } from '../support/calls/memory-voice.ts';
import { until } from '../support/until.ts';

const call: OutgoingCall = {
  callId: 7,
  token: 'the-token-of-call-7',
  from: '',
  to: '+493087654321',
  ringingTime: 30,
  maxDuration: 600,
  record: false,
  speech: {
    language: 'en',
    speed: 1,
    allowInterruptions: true,
    minInterruptWords: 0,
    interruptSensitivity: 0.5,
    endpointType: 'vad',
    endpointSensitivity: 0.5,
  },
};

const application = 'voice-assistant-chat';
const snoop = /^\/channels\/[^/]+\/snoop\/([^/]+)$/;

describe('a call through Asterisk', () => {
  const opened: (() => Promise<unknown>)[] = [];
  let ari: AriStandIn;
  let carrier: AsteriskCarrier;
  let reports: CallReport[];
  let lines: number;
  let over: PromiseWithResolvers<undefined>;

  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  after(closeAll);
  afterEach(closeAll);

  beforeEach(async () => {
    ari = await AriStandIn.start();
    opened.push(() => ari.close());
    const config = { url: ari.url, user: 'u', password: 'p', endpoint: 'PJSIP/{number}@trunk', application };
    const voice = { speech: new ScriptedSpeech() };
    carrier = new AsteriskCarrier({ ...config, phoneNumber: undefined }, voice, pino({ level: 'silent' }));
    reports = [];
    lines = 0;
    over = Promise.withResolvers();
    carrier.open({
      onConnected: async () => {
        lines += 1;
        await over.promise;
      },
      onReport: (report) => Promise.resolve(void reports.push(report)),
      onDisconnected: () => Promise.resolve({ type: 'hang-up' }),
      onIncoming: () => Promise.resolve({ type: 'accept', plan: call } satisfies Admission),
    });
    opened.push(async () => {
      over.resolve(undefined);
      await carrier.close();
    });
  });

  /** Makes a call that is answered; returns its application and channel. */
  const answered = async () => {
    const app = await ari.connected((name) => name.startsWith(`${application}-`));
    const channelId = await carrier.dial(call);
    ari.send(app, 'StasisStart', channelId);
    return { app, channelId };
  };

  /** The listening channel of an answered call, in the dialplan. */
  const listening = async () => {
    const { app, channelId } = await answered();
    const { path, query } = await ari.received('POST', snoop);
    assert.deepEqual([path.split('/')[2], query], [channelId, { app, spy: 'in' }]);
    const listener = snoop.exec(path)?.[1] ?? '';
    ari.send(app, 'StasisStart', listener);
    await ari.received('POST', /\/continue$/);
    return { app, listener };
  };

  it('listens beside the conversation for a machine, in the dialplan', async () => {
    const { app, listener } = await listening();
    const requests = ari.requests.filter(({ path }) => path.startsWith(`/channels/${listener}`));
    assert.deepEqual(requests, [
      {
        ...{ method: 'POST', path: `/channels/${listener}/variable` },
        query: { variable: 'VOICE_ASSISTANT', value: app },
      },
      {
        ...{ method: 'POST', path: `/channels/${listener}/continue` },
        query: { context: 'voice-assistant-machine', extension: 's', priority: '1' },
      },
    ]);
    await until(() => lines === 1);
    assert.deepEqual(reports, []);
  });

  for (const [args, by] of [
    [['MACHINE', 'LONGGREETING-2500-2500'], 'machine'],
    [['HUMAN', 'HUMAN-800-800'], 'human'],
    // People who listen first are silent, too.
    [['MACHINE', 'INITIALSILENCE-2000-2000'], undefined],
    [['NOTSURE', 'TOOLONG-6000'], undefined],
    [['HANGUP', ''], undefined],
  ] as const) {
    it(`reports ${by ?? 'nothing'} if the dialplan returns ${args.join(' ')}`, async () => {
      const { app, listener } = await listening();
      ari.send(app, 'StasisStart', listener, { args: ['identified', ...args] });
      await ari.received('DELETE', new RegExp(`^/channels/${listener}$`));
      const found = reports.flatMap((report) => (report.type === 'identified' ? [report.by] : []));
      assert.deepEqual(found, by === undefined ? [] : [by]);
    });
  }

  it('goes on if Asterisk cannot listen', async () => {
    ari.refuses = snoop;
    await answered();
    await ari.received('POST', snoop);
    await until(() => lines === 1);
    assert.deepEqual(reports, []);
  });

  it('does not look for a machine if the customer has called', async () => {
    const app = await ari.connected((name) => name.startsWith(`${application}-`));
    ari.send(app, 'StasisStart', 'their-channel', { args: ['inbound'] });
    await until(() => lines === 1);
    assert.equal(
      ari.requests.some(({ path }) => snoop.test(path)),
      false,
    );
  });
});
