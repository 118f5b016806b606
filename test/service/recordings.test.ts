import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readByteRange } from '../../src/service/recording/answer-range.ts';
import { addCall } from '../support/records/add-records.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const token = 'r'.repeat(20) + String(owner.id).padStart(23, '0');
const call = await addCall(service, {
  userId: owner.id,
  status: 'completed',
  duration: 12,
  messages: [
    { role: 'assistant', content: 'Hello', at: 0, seconds: 2 },
    { role: 'user', content: 'Yes?', at: 3, seconds: 1 },
  ],
  recordingToken: token,
});
const url = `${service.url}/api/recordings/${token}`;
const load = (range?: string, method = 'GET') =>
  fetch(url, { method, headers: range === undefined ? {} : { Range: range } });
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const whole = await bytesOf(await load());

describe('a recording', () => {
  test('is a WAV file with the duration of the call and tones where somebody spoke', async () => {
    const response = await load();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'audio/wav');
    assert.equal(response.headers.get('Accept-Ranges'), 'bytes');
    assert.deepEqual(await bytesOf(response), whole);
    const view = new DataView(whole.buffer);
    assert.equal(new TextDecoder().decode(whole.slice(0, 4)), 'RIFF');
    assert.equal(view.getUint32(40, true), 12 * 8000);
    assert.equal(whole.length, 44 + 12 * 8000);
    const isSilent = (from: number, to: number) =>
      whole.subarray(44 + from * 8000, 44 + to * 8000).every((sample) => sample === 128);
    assert.deepEqual(
      [isSilent(0, 2), isSilent(2, 3), isSilent(3, 4), isSilent(4, 12)],
      [false, true, false, true],
    );
  });

  for (const [range, start, end] of [
    ['bytes=0-99', 0, 100],
    ['bytes=40-70000', 40, 70_001],
    ['bytes=96000-', 96_000, 96_044],
    ['bytes=-50', 95_994, 96_044],
    ['bytes=10-999999999', 10, 96_044],
  ] as const) {
    test(`supports the range ${range}`, async () => {
      const response = await load(range);
      assert.equal(response.status, 206);
      assert.equal(response.headers.get('Content-Range'), `bytes ${start}-${end - 1}/96044`);
      assert.equal(response.headers.get('Content-Length'), String(end - start));
      assert.deepEqual(await bytesOf(response), whole.slice(start, end));
    });
  }

  test('returns 416 for a range after its end', async () => {
    const response = await load('bytes=96044-');
    assert.equal(response.status, 416);
    assert.equal(response.headers.get('Content-Range'), 'bytes */96044');
  });

  test('is returned complete for invalid and multiple ranges', async () => {
    for (const range of ['bytes=5-2', 'lines=1-2', 'bytes=0-1,4-5']) {
      assert.equal((await load(range)).status, 200, range);
    }
    assert.equal(readByteRange('bytes=-0', 10), 'unsatisfiable');
  });

  test('responds to HEAD with its size', async () => {
    const response = await load(undefined, 'HEAD');
    assert.equal(response.headers.get('Content-Length'), '96044');
    assert.equal((await bytesOf(response)).length, 0);
  });

  test('requires the complete token, and is deleted with the call', async () => {
    for (const path of [token.slice(1), `${token.slice(0, -1)}x`, String(call)]) {
      assert.equal((await service.get(`/api/recordings/${path}`)).status, 404, path);
    }
    const { json } = await owner.get(`calls/${call}`);
    assert.equal(json['recording_url'], url);
    const { json: listed } = await owner.get('calls');
    assert.equal((listed['data'] as Record<string, unknown>[])[0]?.['recording_url'], url);
    const moved = await startService({ PUBLIC_URL: 'https://voice.example/base/' });
    const { json: there } = await owner.at(moved).get(`calls/${call}`);
    assert.equal(there['recording_url'], `https://voice.example/base/api/recordings/${token}`);
    await owner.delete(`calls/${call}`);
    assert.equal((await load()).status, 404);
  });
});
