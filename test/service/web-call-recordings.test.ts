import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { readPerson } from '../../src/service/person/person.ts';
import { deleteOldCalls } from '../../src/service/retention/delete-old-records.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { readStereoWav, soundsOf } from '../support/calls/stereo-wav.ts';
import { said, visit, waitForEnd } from '../support/calls/web-visitor.ts';
import { until } from '../support/until.ts';
import { eventually } from '../support/eventually.ts';
import { newDatabase, startService, testDatabase } from '../support/service/service.ts';

type Visitor = Awaited<ReturnType<typeof visit>>;

const record = { record: true };
const second = 8000;
const tone = (seconds: number, rate = second) =>
  Int16Array.from({ length: seconds * rate }, (_, index) => Math.round(6000 * Math.sin(index / 2)));

/** The stored call of a visitor and the parts of its recording. */
async function stored({ service, assistant }: Visitor) {
  const { rows } = await service.running.database.pool.query<{ id: number; token: string; parts: number }>(
    `SELECT id, recording_token AS token,
       (SELECT count(*)::integer FROM recording_chunks WHERE call_id = calls.id) AS parts
     FROM calls WHERE user_id = $1 ORDER BY id`,
    [assistant.userId],
  );
  return rows[0];
}

async function load(visitor: Visitor, range?: string) {
  const headers = range === undefined ? {} : { Range: range };
  const token = (await stored(visitor))?.token ?? '';
  const response = await fetch(`${visitor.service.url}/api/recordings/${token}`, { headers });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Returns the times at which each channel of the recording has sound. */
async function listen(visitor: Visitor) {
  const { left, right, rate } = readStereoWav((await load(visitor)).bytes);
  return {
    seconds: left.length / rate,
    rate,
    visitor: soundsOf(left, rate),
    assistant: soundsOf(right, rate),
  };
}

/** Makes a recorded call that begins with a greeting of half a second. */
async function call(visitor: Visitor): Promise<void> {
  visitor.voice.speech.seconds = 0.5;
  const { json } = await visitor.call();
  assert.equal(json['is_recorded'], true);
  await said(visitor.voice.browser, 1);
}

const isAbout = (actual: number | undefined, expected: number) => {
  assert(actual !== undefined && Math.abs(actual - expected) < 0.1, `${actual} s instead of ${expected} s`);
};

/** Moves the start of the call to the past. */
const moveStart = async ({ service, assistant }: Visitor, seconds: number) => {
  await service.running.database.pool.query(
    `UPDATE calls SET answered_at = answered_at - $2 * interval '1 second' WHERE user_id = $1`,
    [assistant.userId, seconds],
  );
};

describe('the recording of a web call', () => {
  it('has the visitor on the left and the assistant on the right channel, at the time of their speech', async () => {
    const visitor = await visit({ limits: record });
    assert.equal((await visitor.service.get(`${visitor.path}/voice`)).json['is_recorded'], true);
    await call(visitor);
    visitor.voice.browser.say('What are your opening hours?');
    await said(visitor.voice.browser, 2);
    assert.equal((await stored(visitor))?.token, null);
    await visitor.hangUp();
    const heard = await listen(visitor);
    assert.equal(heard.rate, second);
    assert.deepEqual(heard.assistant[0], [0, 0.5]);
    assert.equal(heard.visitor.length, 1);
    isAbout(heard.visitor[0]?.[0], 0.5);
    isAbout(heard.visitor[0]?.[1], 1.1);
    // The answer follows the pause.
    assert(heard.assistant.length >= 2);
    isAbout(heard.assistant[1]?.[0], 3.1);
    isAbout(heard.seconds, heard.assistant.at(-1)?.[1] ?? 0);
  });

  it('does not contain audio that an interruption cut off', async () => {
    const initialMessage = 'One two three. Four five six. Seven eight nine.';
    const visitor = await visit({ limits: record, initialMessage });
    visitor.voice.speech.seconds = 0.5;
    const connection = Promise.withResolvers<boolean>();
    visitor.voice.connected = connection.promise;
    await visitor.call();
    const { browser } = visitor.voice;
    browser.holdMarksFrom = 3;
    connection.resolve(true);
    await browser.held.promise;
    // All three sentences were synthesized, and the third is not played yet.
    await until(() => visitor.voice.speech.spoken.length === 3);
    browser.interruptWith('Stop');
    await browser.waitFor('output_audio_buffer.cleared');
    browser.holdMarksFrom = Infinity;
    await said(browser, 2);
    await visitor.hangUp();
    const heard = await listen(visitor);
    assert.deepEqual(heard.assistant[0], [0, 1]);
    isAbout(heard.visitor[0]?.[0], 1);
    isAbout(heard.visitor[0]?.[1], 2);
    assert((heard.assistant[1]?.[0] ?? 0) >= 3);
  });

  it('is silent while the microphone is muted', async () => {
    const visitor = await visit({ limits: record });
    await call(visitor);
    const { browser } = visitor.voice;
    browser.receive(tone(0.5));
    // Browsers send silence, or nothing.
    browser.receive(new Int16Array(second));
    browser.wait(1);
    browser.receive(tone(0.5));
    await visitor.hangUp();
    const { visitor: heard } = await listen(visitor);
    assert.equal(heard.length, 2);
    isAbout(heard[0]?.[1], 1);
    isAbout(heard[1]?.[0], 3);
  });

  it('is stored during the call, and supports ranges', async () => {
    const visitor = await visit({ limits: record });
    await call(visitor);
    visitor.voice.browser.receive(tone(12));
    await eventually('two parts', async () => ((await stored(visitor))?.parts === 2 ? true : undefined));
    await visitor.hangUp();
    const whole = await load(visitor);
    assert.equal(whole.status, 200);
    assert.equal((await stored(visitor))?.parts, 3);
    assert.equal(whole.bytes.length, 44 + 12.5 * second * 4);
    for (const [from, to] of [
      [0, 99],
      [30, 50],
      // Across two parts, in the middle of samples.
      [44 + 5 * second * 4 - 3, 44 + 10 * second * 4 + 2],
      [whole.bytes.length - 7, whole.bytes.length - 1],
    ] as const) {
      const part = await load(visitor, `bytes=${from}-${to}`);
      assert.equal(part.status, 206);
      assert(part.bytes.equals(whole.bytes.subarray(from, to + 1)), `${from}-${to}`);
    }
    assert.equal((await load(visitor, `bytes=${whole.bytes.length}-`)).status, 416);
  });

  it('continues at the time of the reconnection', async () => {
    const visitor = await visit({ limits: record });
    visitor.voice.speech.seconds = 0.5;
    const { json } = await visitor.call();
    const first = visitor.voice.browser;
    await said(first, 1);
    first.lose();
    await moveStart(visitor, 30);
    // Another connection may have another rate.
    visitor.voice.rate = 16_000;
    const again = await visitor.call({ call: json['call'] });
    assert.deepEqual([again.status, again.json['is_recorded']], [201, true]);
    const second = visitor.voice.browser;
    await said(second, 1);
    second.say('What are your opening hours?');
    await said(second, 2);
    await visitor.hangUp();
    const heard = await listen(visitor);
    assert.equal(heard.rate, 8000);
    assert.deepEqual(heard.assistant[0], [0, 0.5]);
    const begin = heard.assistant[1]?.[0] ?? 0;
    assert(begin >= 30 && begin < 120, `it continues after ${begin} s`);
    assert.equal(heard.visitor.length, 1);
    const [from = 0, to = 0] = heard.visitor[0] ?? [];
    assert(from > begin);
    isAbout(to - from, 0.6);
  });

  it(
    'continues in and is read from other processes',
    { skip: testDatabase === 'pglite' && 'an embedded database has one process' },
    async () => {
      const env = await newDatabase();
      const visitor = await visit({ limits: record, env });
      const voice = new MemoryVoice();
      voice.speech.seconds = 0.5;
      const other = await startService(env, { voice });
      visitor.voice.speech.seconds = 0.5;
      const { json } = await visitor.call();
      await said(visitor.voice.browser, 1);
      visitor.voice.browser.lose();
      await moveStart(visitor, 30);
      const again = await other.post(`${visitor.path}/voice`, { sdp: 'v=0 offer', call: json['call'] });
      assert.equal(again.status, 201);
      await said(voice.browser, 1);
      assert.equal((await other.request('DELETE', `${visitor.path}/voice`)).status, 200);
      const third = await startService(env);
      const heard = await listen({ ...visitor, service: third });
      assert.deepEqual(heard.assistant[0], [0, 0.5]);
      assert((heard.assistant[1]?.[0] ?? 0) >= 30);
    },
  );

  it('is available if the visitor does not reconnect', async () => {
    const visitor = await visit({ limits: record });
    await call(visitor);
    visitor.voice.browser.lose();
    // A new call ends the lost one.
    await eventually('room', async () => ((await visitor.call()).status === 201 ? true : undefined));
    const heard = await listen(visitor);
    assert.deepEqual(heard.assistant, [[0, 0.5]]);
    await visitor.hangUp();
  });

  it('is available after the service has stopped', async () => {
    const env = { ...(await newDatabase()), SHUTDOWN_SECONDS: '0' };
    const visitor = await visit({ limits: record, env });
    await call(visitor);
    await visitor.service.running.close();
    const next = { ...visitor, service: await startService(env) };
    // On PostgreSQL, another process may continue the call, so the visitor ends it.
    await next.service.request('DELETE', `${visitor.path}/voice`);
    assert.deepEqual((await listen(next)).assistant, [[0, 0.5]]);
  });

  it('is deleted with its conversation and with old calls', async () => {
    for (const remove of [
      async (visitor: Visitor) => {
        await visitor.service.request('DELETE', visitor.path);
      },
      async ({ service, assistant }: Visitor) => {
        const { database } = service.running;
        await database.pool.query(
          `UPDATE calls SET created_at = now() - interval '400 days', ended_at = now() - interval '400 days'
           WHERE user_id = $1`,
          [assistant.userId],
        );
        const jobs = new StoredJobs(database);
        await deleteOldCalls({ database, jobs }, 399, new AbortController().signal);
      },
    ]) {
      const visitor = await visit({ limits: record });
      await call(visitor);
      await visitor.hangUp();
      const { id, token } = (await stored(visitor)) ?? {};
      await remove(visitor);
      const { url, running } = visitor.service;
      assert.equal((await fetch(`${url}/api/recordings/${String(token)}`)).status, 404);
      const { rows } = await running.database.pool.query(
        'SELECT first FROM recording_chunks WHERE call_id = $1',
        [id],
      );
      assert.deepEqual(rows, []);
    }
  });

  it('is included in the data about a person', async () => {
    const visitor = await visit({ limits: record });
    await call(visitor);
    await visitor.hangUp();
    const { id, token } = (await stored(visitor)) ?? {};
    const conversation = visitor.path.split('/').at(-1) ?? '';
    const { calls } = await readPerson(visitor.service.running.database.db, { conversation });
    assert.equal(calls.length, 1);
    const [found] = calls as Record<string, unknown>[];
    assert.deepEqual([found?.['id'], found?.['recording_path']], [id, `/api/recordings/${token}`]);
  });

  it('stops when the conversation is deleted', async () => {
    const visitor = await visit({ limits: record });
    await call(visitor);
    const { id } = (await stored(visitor)) ?? {};
    const { pool } = visitor.service.running.database;
    await visitor.service.request('DELETE', visitor.path);
    visitor.voice.browser.receive(tone(12));
    await visitor.voice.browser.waitFor('call.ended');
    assert.deepEqual(
      (await pool.query('SELECT first FROM recording_chunks WHERE call_id = $1', [id])).rows,
      [],
    );
  });
});

describe('a web call', () => {
  it('is not recorded if record is off', async () => {
    const visitor = await visit();
    assert.equal((await visitor.service.get(`${visitor.path}/voice`)).json['is_recorded'], false);
    assert.equal((await visitor.call()).json['is_recorded'], false);
    await said(visitor.voice.browser, 1);
    visitor.voice.browser.receive(tone(6));
    await visitor.hangUp();
    const { token, parts } = (await stored(visitor)) ?? {};
    assert.deepEqual([token, parts], [null, 0]);
  });

  it('is not recorded in a conversation of type test that anyone can open', async () => {
    const visitor = await visit({ limits: record, type: 'test' });
    assert.equal((await visitor.call()).json['is_recorded'], false);
    await said(visitor.voice.browser, 1);
    await visitor.hangUp();
    await waitForEnd(visitor);
    assert.equal((await stored(visitor))?.parts, 0);
  });

  for (const isRecorded of [false, true])
    it(`${isRecorded ? 'is still' : 'is not'} recorded after a reconnection if record changed during the call`, async () => {
      const visitor = await visit({ limits: { record: isRecorded } });
      visitor.voice.speech.seconds = 0.5;
      const { json } = await visitor.call();
      assert.equal(json['is_recorded'], isRecorded);
      await said(visitor.voice.browser, 1);
      const { pool } = visitor.service.running.database;
      await pool.query('UPDATE assistants SET record = NOT record WHERE id = $1', [visitor.assistant.id]);
      visitor.voice.browser.lose();
      const again = await visitor.call({ call: json['call'] });
      assert.deepEqual([again.status, again.json['is_recorded']], [201, isRecorded]);
      await said(visitor.voice.browser, 1);
      visitor.voice.browser.receive(tone(6));
      await visitor.hangUp();
      await waitForEnd(visitor);
      // One of the first connection, and some of the second.
      const { parts = 0 } = (await stored(visitor)) ?? {};
      assert.ok(isRecorded ? parts > 1 : parts === 0, `${parts} parts`);
      // The next call has the new setting.
      assert.equal((await visitor.call()).json['is_recorded'], !isRecorded);
      await visitor.hangUp();
    });
});
