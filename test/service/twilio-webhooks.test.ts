import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { WebSocket } from 'ws';
import type { CallReport } from '../../src/service/carrier/carrier.ts';
import { eventually } from '../support/eventually.ts';
import {
  from,
  never,
  outgoing,
  plan,
  startCarrier,
  to,
  token,
} from '../support/twilio/carrier-under-test.ts';
import { publicUrl, sign } from '../support/twilio/fake-twilio.ts';
import type { FakeTwilioCall } from '../support/twilio/fake-twilio-call.ts';
import { readTwiml } from '../support/twilio/twiml.ts';

const { twilio, service, carrier, url, logLines } = await startCarrier();

let calls = 0;
async function dial(options: Partial<typeof outgoing> = {}): Promise<FakeTwilioCall> {
  await carrier.dial({ ...outgoing, ...options });
  calls += 1;
  return twilio.call(to, calls);
}

/** The reports that an action causes. */
async function reportsOf(action: () => Promise<unknown>): Promise<CallReport[]> {
  const before = service.reports.length;
  await action();
  return service.reports.slice(before);
}

describe('a call status', () => {
  const identity = { callId: 7, token };
  for (const [status, expected] of [
    ['queued', undefined],
    ['initiated', { type: 'initiated' }],
    ['ringing', { type: 'ringing' }],
    ['in-progress', undefined],
    ['busy', { type: 'unreached', reason: 'busy' }],
    ['no-answer', { type: 'unreached', reason: 'no-answer' }],
    ['canceled', { type: 'unreached', reason: 'no-answer' }],
    ['failed', { type: 'unreached', reason: 'failed' }],
    ['completed', { type: 'ended', seconds: 42 }],
  ] as const) {
    test(`reports ${status} as ${expected === undefined ? 'nothing' : JSON.stringify(expected)}`, async () => {
      const call = await dial();
      const reports = await reportsOf(() => call.report(status));
      assert.deepEqual(
        reports,
        expected === undefined ? [] : [{ ...identity, carrierCallId: call.sid, ...expected }],
      );
      assert.equal(call.answers.at(-1)?.status, 204);
    });
  }

  test('is reported in the order of arrival, even repeatedly', async () => {
    const call = await dial();
    const reports = await reportsOf(async () => {
      await call.report('completed');
      await call.report('ringing');
      await call.report('completed');
    });
    assert.deepEqual(
      reports.map(({ type }) => type),
      ['ended', 'ringing', 'ended'],
    );
  });
});

describe('machine detection', () => {
  for (const [answeredBy, by] of [
    ['human', 'human'],
    ['machine_start', 'machine'],
    ['machine_end_beep', 'machine'],
    ['machine_end_silence', 'machine'],
    ['machine_end_other', 'machine'],
    ['fax', 'fax'],
    ['unknown', 'unknown'],
    ['something new', 'unknown'],
  ] as const) {
    test(`reports ${answeredBy} as ${by}`, async () => {
      const call = await dial();
      const [report] = await reportsOf(() => call.identify(answeredBy));
      assert.deepEqual(report, { callId: 7, token, carrierCallId: call.sid, type: 'identified', by });
    });
  }
});

test('reports the end of a call without a status callback when its session ends', async () => {
  service.converse = async (line) => {
    await line.next(60, never);
  };
  const call = await dial();
  await call.answer();
  await call.connected();
  call.statusCallback = undefined;
  await call.hangUp();
  const report = await eventually(
    () => 'the report',
    () => service.reports.find(({ carrierCallId }) => carrierCallId === call.sid),
  );
  assert.deepEqual(report, { callId: 7, token, carrierCallId: call.sid, type: 'ended', seconds: 0 });
});

test('reports a recording', async () => {
  const call = await dial({ record: true });
  const [ended, recorded] = await reportsOf(() => call.complete());
  assert.equal(ended?.type, 'ended');
  const [recordingId] = [...twilio.recordings.keys()];
  assert.deepEqual(recorded, {
    callId: 7,
    token,
    carrierCallId: call.sid,
    type: 'recorded',
    recordingId,
    seconds: 7,
  });
});

describe('a request that Twilio did not sign', () => {
  const path = `/api/carrier/twilio/calls/7/${token}/status`;
  const form = { CallSid: `CA${'0'.repeat(32)}`, CallStatus: 'completed', CallDuration: '9' };
  const post = (
    target: string,
    headers: Record<string, string>,
    body: BodyInit = new URLSearchParams(form),
  ) => fetch(url + target, { method: 'POST', headers, body });
  const signed = (value: string) => ({ 'X-Twilio-Signature': value });

  for (const [description, send] of [
    ['no signature', () => post(path, {})],
    ['a signature of another key', () => post(path, signed(sign(publicUrl + path, form, 'another key')))],
    [
      'the signature of other fields',
      () => post(path, signed(sign(publicUrl + path, { ...form, CallDuration: '1' }))),
    ],
    ['the signature of another address', () => post(path, signed(sign(`${publicUrl}/other`, form)))],
    [
      'an address in forwarded headers',
      () =>
        post(path, {
          ...signed(sign(`https://evil.example${path}`, form)),
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'https',
          Host: 'evil.example',
        }),
    ],
    ['another token', () => post(path.replace(token, 'x'), signed(sign(publicUrl + path, form)))],
  ] as const) {
    test(`is refused with ${description}`, async () => {
      const before = service.reports.length;
      const response = await send();
      assert.equal(response.status, 403);
      assert.equal(service.reports.length, before);
    });
  }

  test('is refused on every path', async () => {
    const paths = ['status', 'amd', 'recording', 'relay', 'dial'].map((name) => path.replace('status', name));
    for (const target of [...paths, '/api/carrier/twilio/incoming']) {
      assert.equal((await post(target, {})).status, 403, target);
      assert.match(logLines.at(-1) ?? '', /not signed for PUBLIC_URL with TWILIO_AUTH_TOKEN/);
    }
    const count = logLines.length;
    assert.equal((await post('/api/carrier/twilio/check', {})).status, 403);
    assert.equal(logLines.length, count, '`carrier check` sends one on purpose');
    assert.deepEqual([service.disconnections, service.incoming], [[], []]);
  });

  test('returns 413 for a body over 64 KiB', async () => {
    const response = await post(path, {}, 'x'.repeat(64 * 1024 + 1));
    assert.equal(response.status, 413);
  });
});

describe('a signed request', () => {
  const post = (path: string, form: Record<string, string>) => {
    const headers = { 'X-Twilio-Signature': sign(publicUrl + path, form) };
    return fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(form) });
  };
  const form = { CallSid: `CA${'0'.repeat(32)}`, CallStatus: 'completed', CallDuration: '9' };

  test('is refused with the token of another call', async () => {
    const before = service.reports.length;
    for (const call of ['7/another-token', `8/${token}`]) {
      assert.equal((await post(`/api/carrier/twilio/calls/${call}/status`, form)).status, 403);
    }
    assert.equal(service.reports.length, before);
  });

  test('is refused with invalid fields', async () => {
    const path = `/api/carrier/twilio/calls/7/${token}/status`;
    assert.equal((await post(path, { ...form, CallSid: '1' })).status, 400);
    assert.equal((await post(path, { ...form, CallDuration: '-1' })).status, 400);
  });

  test('is retried while the database cannot be reached', async () => {
    const onReport = service.onReport.bind(service);
    let failures = 2;
    service.onReport = (report) => {
      if (failures-- > 0) return Promise.reject(new Error('no database'));
      return onReport(report);
    };
    const reports = await reportsOf(async () => {
      assert.equal((await post(`/api/carrier/twilio/calls/7/${token}/status`, form)).status, 204);
    });
    service.onReport = onReport;
    assert.equal(reports.length, 1);
  });
});

describe('the WebSocket', () => {
  const address = `${url.replace('http', 'ws')}/api/carrier/twilio/relay`;
  const signature = sign(`${publicUrl.replace('http', 'ws')}/api/carrier/twilio/relay`);
  const setup = {
    type: 'setup',
    sessionId: `VX${'0'.repeat(32)}`,
    callSid: `CA${'0'.repeat(32)}`,
    direction: 'outbound-api',
    customParameters: {
      callId: '7',
      token,
      connectToken: plan.connectToken,
      maxDuration: '60',
      speed: '1',
      interruptingWords: '0',
      languages: 'en',
    },
  };
  const open = async () => {
    const socket = new WebSocket(address, { headers: { 'X-Twilio-Signature': signature } });
    await once(socket, 'open');
    return socket;
  };
  const closeCode = async (socket: WebSocket) => ((await once(socket, 'close')) as [number])[0];
  const statusOf = async (target: string, headers: Record<string, string>) => {
    const socket = new WebSocket(target, { headers });
    const [error] = (await once(socket, 'error')) as [Error];
    return /\d{3}/.exec(error.message)?.[0];
  };

  test('is refused without a signature of its URL', async () => {
    assert.equal(await statusOf(address, {}), '403');
    assert.match(logLines.at(-1) ?? '', /not signed for PUBLIC_URL with TWILIO_AUTH_TOKEN/);
    assert.equal(await statusOf(address, { 'X-Twilio-Signature': sign(address) }), '403');
    const other = `${publicUrl}/api/carrier/twilio/incoming`;
    assert.equal(await statusOf(address, { 'X-Twilio-Signature': sign(other) }), '403');
    assert.equal(await statusOf(`${address}/x`, { 'X-Twilio-Signature': signature }), '404');
  });

  for (const [description, frames, code] of [
    ['another token', [{ ...setup, customParameters: { ...setup.customParameters, token: 'x' } }], 1008],
    ['another call', [{ ...setup, customParameters: { ...setup.customParameters, callId: '8' } }], 1008],
    ['no parameters', [{ ...setup, customParameters: {} }], 1007],
    ['another frame first', [{ type: 'prompt', voicePrompt: 'Hello', last: true }], 1008],
    ['a frame without JSON', ['hello'], 1007],
    ['a frame without a type', [setup, { voicePrompt: 'Hello' }], 1007],
    ['a frame of the wrong shape', [setup, { type: 'prompt', voicePrompt: 7 }], 1007],
    ['a key that does not exist', [setup, { type: 'dtmf', digit: '12' }], 1007],
    ['a frame of more than 64 KiB', [setup, { type: 'prompt', voicePrompt: 'x'.repeat(64 * 1024) }], 1009],
  ] as const) {
    test(`closes after ${description}`, async () => {
      const ended = Promise.withResolvers<unknown>();
      service.converse = async (line) => {
        ended.resolve(await line.next(60, never));
      };
      const socket = await open();
      const closed = closeCode(socket);
      for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
      assert.equal(await closed, code);
      if (frames[0] === setup) assert.deepEqual(await ended.promise, { type: 'ended', by: 'connection' });
    });
  }

  test('ignores unknown frame types, fields and values', async () => {
    const said = Promise.withResolvers<unknown>();
    service.converse = async (line) => {
      const event = await line.next(60, never);
      said.resolve(event?.type === 'said' && event.text);
    };
    const socket = await open();
    socket.send(JSON.stringify({ ...setup, somethingNew: 1 }));
    socket.send(JSON.stringify({ type: 'news', value: [] }));
    for (const value of [null, true, 7, { on: true }]) {
      socket.send(JSON.stringify({ type: 'info', name: 'clientSpeaking', value }));
    }
    socket.send(JSON.stringify({ type: 'info', event: 'something else' }));
    socket.send(JSON.stringify({ type: 'error', description: 'Invalid message 64107: secret words' }));
    socket.send(JSON.stringify({ type: 'prompt', voicePrompt: 'Hello', lang: null, mood: 'good' }));
    assert.equal(await said.promise, 'Hello');
    socket.close();
    await closeCode(socket);
    assert.ok(logLines.some((line) => line.includes('64107')));
    assert.equal(logLines.filter((line) => line.includes('secret words')).length, 0);
  });

  test('closes with 1011 if the conversation fails', async () => {
    service.converse = () => Promise.reject(new Error('a bug'));
    const socket = await open();
    socket.send(JSON.stringify(setup));
    assert.equal(await closeCode(socket), 1011);
  });

  test('hangs up when the conversation ends', async () => {
    service.converse = () => Promise.resolve();
    const call = await dial();
    await call.answer();
    const relay = await call.connected();
    await call.over();
    assert.deepEqual(relay.frames, [{ type: 'end', handoffData: '{"step":"hang-up"}' }]);
  });
});

describe('a transferred call', () => {
  const transfer = {
    type: 'transfer',
    to: '+49309999999',
    callerId: from,
    ringingTime: 20,
    maxDuration: 300,
  } as const;
  const leave = async () => {
    service.converse = (line) => line.leave();
    service.nextStep = transfer;
    const call = await dial();
    await call.answer();
    const made = await eventually(
      () => `the transfer; ${call.problems.join()}`,
      () => call.transfer,
    );
    return { call, made };
  };

  test('is connected to the other number with the limits of the transfer', async () => {
    const { call, made } = await leave();
    assert.equal(service.disconnections.at(-1)?.cause, 'left');
    assert.deepEqual(made, {
      to: '+49309999999',
      callerId: from,
      timeout: 20,
      timeLimit: 300,
      action: `${publicUrl}/api/carrier/twilio/calls/7/${token}/dial`,
      statusCallback: `${publicUrl}/api/carrier/twilio/calls/7/${token}/transfer`,
    });
    await call.answerTransfer();
    assert.deepEqual(service.reports.at(-1), { callId: 7, token, type: 'transfer-answered' });
    service.nextStep = { type: 'hang-up' };
    await call.endTransfer('completed');
    assert.equal(service.disconnections.at(-1)?.cause, 'transferred');
    await call.over();
  });

  for (const status of ['no-answer', 'busy', 'failed', 'canceled'] as const) {
    test(`returns to the assistant if the transfer ends as ${status}`, async () => {
      const { call } = await leave();
      service.nextStep = { type: 'connect', plan };
      service.converse = async (line) => {
        await line.next(60, never);
      };
      await call.endTransfer(status);
      assert.equal(service.disconnections.at(-1)?.cause, 'unanswered');
      await call.connected(2);
      await call.hangUp();
      assert.deepEqual(call.problems, []);
    });
  }
});

test('reconnects a call whose connection was lost', async () => {
  service.nextStep = { type: 'connect', plan };
  service.converse = async (line) => {
    await line.next(60, never);
  };
  const call = await dial();
  await call.answer();
  (await call.connected()).drop();
  await call.connected(2);
  assert.equal(service.disconnections.at(-1)?.cause, 'lost');
  await call.hangUp();
});

test('logs the error code of a failed connection, without the carrier’s message', async () => {
  const path = `/api/carrier/twilio/calls/7/${token}/relay`;
  const form = {
    CallSid: `CA${'0'.repeat(32)}`,
    CallStatus: 'in-progress',
    SessionStatus: 'failed',
    SessionDuration: '0',
    ErrorCode: '64101',
    ErrorMessage: 'Invalid voice: secret words',
  };
  service.nextStep = { type: 'hang-up' };
  const headers = { 'X-Twilio-Signature': sign(publicUrl + path, form) };
  await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(form) });
  const line = logLines.find((one) => one.includes('64101')) ?? '';
  assert.match(line, /"callId":7/);
  assert.doesNotMatch(line, /secret words/);
});

describe('an incoming call', () => {
  test('is connected, recorded and limited', async () => {
    service.admission = { type: 'accept', plan: { ...plan, record: true } };
    service.converse = async (line) => {
      await line.next(60, never);
    };
    const call = await twilio.receiveCall('+4915112345678', from);
    await call.connected();
    assert.deepEqual(service.incoming.at(-1), { carrierCallId: call.sid, from: '+4915112345678', to: from });
    await eventually(
      () => 'the time limit',
      () => call.timeLimit,
    );
    assert.equal(call.timeLimit, '600');
    const answer = readTwiml(call.answers[0]?.body ?? '');
    assert.deepEqual(answer.children[0]?.children[0]?.attributes, {
      channels: 'dual',
      recordingStatusCallback: `${publicUrl}/api/carrier/twilio/calls/7/${token}/recording`,
      recordingStatusCallbackEvent: 'completed',
      trim: 'do-not-trim',
    });
    const reports = await reportsOf(() => call.hangUp());
    assert.ok(reports.some(({ type, carrierCallId }) => type === 'ended' && carrierCallId === call.sid));
    assert.deepEqual(call.problems, []);
  });

  test('keeps its time limit when it is reconnected', async () => {
    service.admission = { type: 'accept', plan };
    service.nextStep = { type: 'connect', plan };
    service.converse = async (line) => {
      await line.next(60, never);
    };
    const call = await twilio.receiveCall('+4915112345678', from);
    const relay = await call.connected();
    call.duration = 430;
    relay.drop();
    await call.connected(2);
    await eventually(
      () => 'the second limit',
      () => twilio.requests.filter(({ path }) => path.includes(call.sid)).length === 2 || undefined,
    );
    assert.deepEqual([call.timeLimit, call.isOver], ['600', false]);
    await call.hangUp();
  });

  for (const reason of ['busy', 'rejected'] as const) {
    test(`is refused with the reason ${reason} before it is answered`, async () => {
      service.admission = { type: 'refuse', reason };
      const call = await twilio.receiveCall('+4915112345678', from);
      assert.match(call.answers[0]?.body ?? '', new RegExp(`<Reject reason="${reason}"/>`));
      assert.deepEqual([call.relays.length, call.problems], [0, []]);
    });
  }

  for (const caller of ['+266696687', 'anonymous', 'sip:somebody@example.com', '']) {
    test(`has no caller number if it comes from "${caller}"`, async () => {
      service.admission = { type: 'refuse', reason: 'rejected' };
      await twilio.receiveCall(caller, from);
      assert.equal(service.incoming.at(-1)?.from, '');
    });
  }
});

test('serves the silent WAV file that replaces interrupted speech', async () => {
  const response = await fetch(`${url}/api/carrier/twilio/silence.wav`);
  assert.equal(response.headers.get('content-type'), 'audio/wav');
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWAVE');
  assert.equal(bytes.readUInt32LE(4) + 8, bytes.length);
});
