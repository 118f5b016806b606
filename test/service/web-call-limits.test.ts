import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ChatClient } from '../../src/client/chat-client.ts';
import { solveChallenge } from '../../src/client/solve-challenge.ts';
import { requestCall } from '../../src/client/web-call.ts';
import { offer, said, visit, waitForEnd } from '../support/calls/web-visitor.ts';
import { until } from '../support/until.ts';
import { utcDay } from '../support/utc-day.ts';

// Limits start again at midnight (UTC).
beforeEach(utcDay);

/** Another conversation with the assistant of a visitor. */
async function another(
  { service, assistant }: Awaited<ReturnType<typeof visit>>,
  type: 'widget' | 'test' = 'widget',
) {
  const path = `/api/conversations/${await service.open(assistant.uuid, { type })}/voice`;
  return {
    call: () => service.post(path, { sdp: offer }),
    hangUp: () => service.request('DELETE', path),
  };
}

describe('the limits of web calls', () => {
  it('apply to the concurrent calls of an assistant', async () => {
    const visitor = await visit({ env: { VOICE_CALLS_PER_ASSISTANT: '2' } });
    const all = [visitor, await another(visitor), await another(visitor)];
    const answers = await Promise.all(all.map(({ call }) => call()));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 429]);
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(
      refused?.json['error'],
      'Call limit reached. Too many visitors are calling this assistant at the moment.',
    );
    for (const { hangUp } of all) await hangUp();
  });

  const testText = 'No more minutes are left for tests today. A preview token lifts this limit.';
  for (const [setting, type, text] of [
    ['VOICE_VISITOR_MINUTES_PER_DAY', 'widget', 'No more minutes are left for this visitor today.'],
    ['VOICE_VISITOR_MINUTES_PER_DAY', 'test', 'No more minutes are left for this visitor today.'],
    ['VOICE_OWNER_MINUTES_PER_DAY', 'widget', 'No more minutes are left for this assistant today.'],
    ['VOICE_TEST_MINUTES_PER_DAY', 'test', testText],
  ] as const) {
    it(`apply to the minutes per day in conversations of type ${type}: ${setting}`, async () => {
      const visitor = await visit({ env: { [setting]: '2' }, type });
      for (let index = 0; index < 2; index++) {
        assert.equal((await visitor.call()).status, 201);
        await said(visitor.voice.browser, 1);
        await visitor.hangUp();
      }
      const { status, json } = await visitor.call();
      assert.deepEqual([status, json['error']], [429, `Call limit reached. ${text}`]);
    });
  }

  for (const [operator, owner] of [
    ['3', 1],
    ['1', 3],
    ['0', 1],
  ] as const) {
    it(`allow the lower number of calls at once: ${operator} of the operator, ${owner} of the owner`, async () => {
      const visitor = await visit({
        env: { VOICE_CALLS_PER_ASSISTANT: operator },
        limits: { maxConcurrentWebCalls: owner },
      });
      const other = await another(visitor);
      const answers = await Promise.all([visitor.call(), other.call()]);
      const errors = answers.filter(({ status }) => status === 429).map(({ json }) => json['error']);
      assert.deepEqual(errors, [
        'Call limit reached. Too many visitors are calling this assistant at the moment.',
      ]);
      for (const { hangUp } of [visitor, other]) await hangUp();
    });
  }

  for (const [setting, limit, text] of [
    ['VOICE_VISITOR_MINUTES_PER_DAY', 'maxVisitorWebCallMinutesPerDay', 'this visitor'],
    ['VOICE_OWNER_MINUTES_PER_DAY', 'maxWebCallMinutesPerDay', 'this assistant'],
  ] as const) {
    for (const [operator, owner] of [
      ['3', 1],
      ['1', 3],
      ['0', 1],
    ] as const) {
      it(`allow the lower number of minutes: ${setting}=${operator}, ${limit} ${owner}`, async () => {
        const visitor = await visit({ env: { [setting]: operator }, limits: { [limit]: owner } });
        assert.equal((await visitor.call()).status, 201);
        await said(visitor.voice.browser, 1);
        await visitor.hangUp();
        const { status, json } = await visitor.call();
        assert.deepEqual(
          [status, json['error']],
          [429, `Call limit reached. No more minutes are left for ${text} today.`],
        );
      });
    }
  }

  for (const [limit, status] of [
    ['maxVisitorWebCallMinutesPerDay', 429],
    ['maxWebCallMinutesPerDay', 201],
  ] as const) {
    it(`${status === 201 ? 'do not count' : 'count'} calls of the owner's other assistants for ${limit}`, async () => {
      const visitor = await visit();
      assert.equal((await visitor.call()).status, 201);
      await said(visitor.voice.browser, 1);
      await visitor.hangUp();
      const { service, assistant, voice } = visitor;
      const next = await visit({ service, voice, userId: assistant.userId, limits: { [limit]: 1 } });
      assert.equal((await next.call()).status, status);
      await next.hangUp();
    });
  }

  it('apply to the minutes of all blocks of an IPv6 /48 together, four times those of one', async () => {
    for (const type of ['widget', 'test'] as const) {
      const visitor = await visit({
        env: { TRUST_PROXY: '1' },
        type,
        limits: { maxVisitorWebCallMinutesPerDay: 1 },
      });
      const callFrom = (address: string) => visitor.call({}, { 'X-Forwarded-For': address });
      for (let block = 1; block <= 4; block++) {
        assert.equal((await callFrom(`2001:db8:7:${block}::1`)).status, 201);
        await said(visitor.voice.browser, 1);
        await visitor.hangUp();
      }
      const { status, json } = await callFrom('2001:db8:7:5::1');
      assert.deepEqual(
        [status, json['error']],
        [429, 'Call limit reached. No more minutes are left for this visitor today.'],
      );
      assert.equal((await callFrom('2001:db8:8:1::1')).status, 201);
      await visitor.hangUp();
    }
  });

  for (const limit of ['maxVisitorWebCallMinutesPerDay', 'maxWebCallMinutesPerDay'] as const) {
    it(`end the second of two calls that connect for the last minute of ${limit}`, async () => {
      const visitor = await visit({ limits: { [limit]: 1 } });
      const connected = Promise.withResolvers<boolean>();
      visitor.voice.connected = connected.promise;
      const other = await another(visitor);
      for (const { call } of [visitor, other]) assert.equal((await call()).status, 201);
      connected.resolve(true);
      const { browsers } = visitor.voice;
      const count = (type: string) => browsers.flatMap((browser) => browser.find(type)).length;
      await until(() => count('response.done') >= 1 && count('call.ended') >= 1);
      assert.deepEqual(
        browsers.flatMap((browser) => browser.find('call.ended')),
        [{ type: 'call.ended', reason: 'time-limit' }],
      );
      for (const { hangUp } of [visitor, other]) await hangUp();
      const reasons = (await visitor.calls()).map((call) => call['end_reason']);
      assert.deepEqual(reasons.sort(), ['hung-up', 'minutes-per-day']);
    });
  }

  it('ignore the minutes of an assistant for tests without a preview token', async () => {
    const visitor = await visit({ type: 'test', limits: { maxWebCallMinutesPerDay: 1 } });
    for (let index = 0; index < 2; index++) {
      assert.equal((await visitor.call()).status, 201);
      await said(visitor.voice.browser, 1);
      await visitor.hangUp();
    }
  });

  for (const type of ['widget', 'test'] as const) {
    it(`count a started minute of the type ${type} once if the connection is lost repeatedly`, async () => {
      const visitor = await visit({ type });
      const { json } = await visitor.call();
      await said(visitor.voice.browser, 1);
      for (let index = 0; index < 3; index++) {
        visitor.voice.browser.lose();
        assert.equal((await visitor.call({ call: json['call'] })).status, 201);
        await said(visitor.voice.browser, 1);
      }
      await visitor.hangUp();
      const { rows } = await visitor.service.running.database.pool.query<{ minutes: number }>(
        'SELECT minutes FROM web_call_minutes WHERE user_id = $1',
        [visitor.assistant.userId],
      );
      // Those of the visitor and of all tests, or of the visitor, the assistant and the owner.
      assert.deepEqual(
        rows.map(({ minutes }) => minutes),
        type === 'test' ? [1, 1] : [1, 1, 1],
      );
    });
  }

  it('do not count anonymous test calls against visitors', async () => {
    const visitor = await visit({
      env: { VOICE_CALLS_PER_ASSISTANT: '3', VOICE_OWNER_MINUTES_PER_DAY: '1' },
    });
    const testers = [];
    for (let index = 0; index < 3; index++) testers.push(await another(visitor, 'test'));
    const answers = await Promise.all(testers.map(({ call }) => call()));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 429]);
    await until(() => visitor.voice.browsers.flatMap((browser) => browser.find('response.done')).length >= 2);
    assert.equal((await visitor.call()).status, 201);
    for (const { hangUp } of [visitor, ...testers]) await hangUp();
  });

  it('count utterances as messages of the day, and end the call at the limit', async () => {
    for (const [type, limits] of [
      ['test', { maxTestMessagesPerDay: 2 }],
      ['widget', { maxMessagesPerDay: 2 }],
      ['widget', { maxVisitorMessagesPerDay: 2 }],
    ] as const) {
      const visitor = await visit({ type, limits });
      await visitor.call();
      const { browser } = visitor.voice;
      await said(browser, 1);
      for (const count of [2, 3]) {
        browser.say('Hello?');
        await said(browser, count);
      }
      const written = await visitor.service.post(`${visitor.path}/messages`, { message: 'And now?' });
      assert.match(String(written.json['error']), /^Daily limit reached\./);
      browser.say('One too many?');
      assert.deepEqual(await browser.waitFor('call.ended'), [
        { type: 'call.ended', reason: 'limit-reached' },
      ]);
      await waitForEnd(visitor);
      assert.equal((await visitor.calls())[0]?.['end_reason'], 'messages-per-day');
      assert.equal((await visitor.history()).filter((line) => line.startsWith('user')).length, 2);
      const { status, json } = await visitor.call();
      assert.equal(status, 400);
      assert.match(String(json['error']), /^Daily limit reached\./);
    }
  });

  it('do not count messages in a preview', async () => {
    const visitor = await visit({ type: 'test', limits: { maxTestMessagesPerDay: 0 } });
    const { pool } = visitor.service.running.database;
    await pool.query('UPDATE conversations SET is_preview = true WHERE uuid = $1', [
      visitor.path.split('/').at(-1),
    ]);
    assert.equal((await visitor.call()).status, 201);
    const { browser } = visitor.voice;
    await said(browser, 1);
    browser.say('Hello?');
    await said(browser, 2);
    await visitor.hangUp();
  });

  it('require a proof of work after half of the messages of the day', async () => {
    const visitor = await visit({ limits: { maxVisitorMessagesPerDay: 4, proofOfWork: true } });
    const uuid = visitor.path.split('/').at(-1) ?? '';
    for (let sent = 0; sent < 2; sent++) await visitor.service.send(uuid, 'Hi');
    const { status, json } = await visitor.call();
    assert.deepEqual([status, json['error']], [428, 'Proof of work required.']);
    assert.deepEqual(await visitor.calls(), []);
    const client = new ChatClient({ baseUrl: visitor.service.url });
    const started = await requestCall(client, uuid, { sdp: offer }, {});
    assert.equal(started.sdp, 'v=0 answer');
    await visitor.hangUp(started.call);
    const hungUp = new AbortController();
    const calling = requestCall(client, uuid, { sdp: offer }, {}, hungUp.signal);
    hungUp.abort();
    await assert.rejects(calling, { name: 'AbortError' });
    assert.equal((await visitor.calls()).length, 1);
  });

  it('require another proof of work for each call, also after one whose browser never connected', async () => {
    const visitor = await visit({ limits: { maxVisitorMessagesPerDay: 4, proofOfWork: true } });
    const uuid = visitor.path.split('/').at(-1) ?? '';
    for (let sent = 0; sent < 2; sent++) await visitor.service.send(uuid, 'Hi');
    visitor.voice.connected = new Promise(() => {});
    const { json } = await visitor.call();
    const proof = await solveChallenge(json['proof_of_work'], undefined);
    assert.equal((await visitor.service.send(uuid, 'Hi', {}, { proof_of_work: proof })).status, 428);
    assert.equal((await visitor.call({ proof_of_work: proof })).status, 201);
    await visitor.hangUp();
    await waitForEnd(visitor);
    assert.equal((await visitor.call({ proof_of_work: proof })).status, 428);
    assert.equal((await visitor.calls()).length, 1);
  });

  it('are returned with the ICE servers before a call', async () => {
    const visitor = await visit({
      env: {
        VOICE_STUN_URL: 'stun:stun.shop.example',
        VOICE_TURN_URL: 'turn:turn.shop.example',
        VOICE_TURN_SECRET: 's',
      },
    });
    const { status, json } = await visitor.service.get(`${visitor.path}/voice`);
    assert.equal(status, 200);
    assert.equal(json['max_seconds'], 600);
    const [stun, turn] = json['ice_servers'] as Record<string, string>[];
    assert.deepEqual(stun, { urls: 'stun:stun.shop.example' });
    assert.equal(turn?.['urls'], 'turn:turn.shop.example');
    assert.match(String(turn['username']), /^\d{10}$/);
    assert.equal(Buffer.from(String(turn['credential']), 'base64').length, 20);
  });
});
