import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { recordingRoutes } from '../../src/service/routes/recordings.ts';
import { ScriptedCarrier } from '../support/calls/scripted-carrier.ts';
import { addCall } from '../support/records/add-records.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const { database } = service.running;
const owner = await Owner.create(service);
const recordingToken = 'c'.repeat(20) + String(owner.id).padStart(23, '0');
await addCall(service, { userId: owner.id, status: 'completed', recordingToken, carrierRecordingId: 'RE1' });

const logged: string[] = [];
const log = pino({}, { write: (line: string) => void logged.push(line) });

/** Requests the recording while the carrier answers like this. */
async function load(
  readRecording: (signal: AbortSignal) => Promise<Response>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const carrier = Object.assign(new ScriptedCarrier(), {
    readRecording: (_id: string, _range: string | undefined, signal: AbortSignal) => readRecording(signal),
  });
  return recordingRoutes({ database, carrier, log, answerMs: 50 }).request(`/${recordingToken}`, { headers });
}

describe('a recording at the carrier', () => {
  it('is not available while the carrier cannot be reached', async () => {
    const response = await load(() => Promise.reject(new Error('unreachable')));
    assert.equal(response.status, 502);
    assert.ok(logged.some((line) => line.includes('unreachable')));
  });

  it('is not waited for without limit', async () => {
    const response = await load(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
    );
    assert.equal(response.status, 502);
  });

  it('may take longer to be sent than to begin', async () => {
    let signal: AbortSignal | undefined;
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(1));
        await setTimeout(100);
        controller.enqueue(new Uint8Array(1));
        controller.close();
      },
    });
    const response = await load((given) => {
      signal = given;
      return Promise.resolve(new Response(body));
    });
    assert.equal((await response.arrayBuffer()).byteLength, 2);
    assert.equal(signal?.aborted, false);
  });

  for (const [range, status, body, contentRange] of [
    [undefined, 200, '0123456789', null],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=1-2,4-5', 200, '0123456789', null],
  ] as const) {
    it(`is answered with ${String(status)} for ${range ?? 'no range'}, even if the carrier supports no ranges`, async () => {
      const headers = { 'Content-Length': '10', 'Content-Type': 'audio/x-wav' };
      const response = await load(
        () => Promise.resolve(new Response('0123456789', { headers })),
        range === undefined ? {} : { Range: range },
      );
      assert.deepEqual(
        [response.status, await response.text(), response.headers.get('Content-Range')],
        [status, body, contentRange],
      );
    });
  }

  it('is passed on whole if its length is unknown', async () => {
    const response = await load(() => Promise.resolve(new Response('0123456789')), { Range: 'bytes=2-4' });
    assert.deepEqual([response.status, await response.text()], [200, '0123456789']);
  });
});
