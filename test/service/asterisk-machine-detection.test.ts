import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { FakeAri } from '../support/asterisk/fake-ari.ts';
import { CarrierAtAsterisk } from '../support/asterisk/carrier-at-asterisk.ts';
import { until } from '../support/until.ts';

const snoop = /^\/channels\/[^/]+\/snoop\/([^/]+)$/;

describe('a call through Asterisk', () => {
  let at: CarrierAtAsterisk;
  let ari: FakeAri;

  beforeEach(async () => {
    at = await CarrierAtAsterisk.start();
    ari = at.ari;
  });
  afterEach(() => at.close());

  /** Answers a call, and moves its snoop channel to the dialplan. */
  const startDetection = async () => {
    const { app, channelId } = await at.answer();
    const { path, query } = await ari.received('POST', snoop);
    assert.deepEqual([path.split('/')[2], query], [channelId, { app, spy: 'in' }]);
    const snoopId = snoop.exec(path)?.[1] ?? '';
    ari.send(app, 'StasisStart', snoopId);
    await ari.received('POST', /\/continue$/);
    return { app, snoopId };
  };

  it('detects machines on a snoop channel in the dialplan, during the conversation', async () => {
    const { app, snoopId } = await startDetection();
    const requests = ari.requests.filter(({ path }) => path.startsWith(`/channels/${snoopId}`));
    assert.deepEqual(requests, [
      {
        ...{ method: 'POST', path: `/channels/${snoopId}/variable` },
        query: { variable: 'VOICE_ASSISTANT', value: app },
      },
      {
        ...{ method: 'POST', path: `/channels/${snoopId}/continue` },
        query: { context: 'voice-assistant-machine', extension: 's', priority: '1' },
      },
    ]);
    await until(() => at.lines.length === 1);
    assert.deepEqual(at.reports, []);
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
      const { app, snoopId } = await startDetection();
      ari.send(app, 'StasisStart', snoopId, { args: ['identified', ...args] });
      await ari.received('DELETE', new RegExp(`^/channels/${snoopId}$`));
      const found = at.reports.flatMap((report) => (report.type === 'identified' ? [report.by] : []));
      assert.deepEqual(found, by === undefined ? [] : [by]);
    });
  }

  it('continues if Asterisk refuses the snoop channel', async () => {
    ari.refuses = snoop;
    await at.answer();
    await ari.received('POST', snoop);
    await until(() => at.lines.length === 1);
    assert.deepEqual(at.reports, []);
  });

  it('runs no machine detection on an inbound call', async () => {
    const app = await at.application();
    ari.send(app, 'StasisStart', 'their-channel', { args: ['inbound'] });
    await until(() => at.lines.length === 1);
    assert.equal(
      ari.requests.some(({ path }) => snoop.test(path)),
      false,
    );
  });
});
