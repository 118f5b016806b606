import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { Hono } from 'hono';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { recordingSize, synthesizeRecording } from '../recording/synthesize-recording.ts';
import type { Carrier } from '../carrier/carrier.ts';
import { answerRange, readByteRange } from '../recording/answer-range.ts';
import { findRecording, readRecording, storedRecordingSize } from '../recording/recording-as-wav.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';

export interface RecordingDependencies {
  database: Database;
  carrier: Carrier;
  log: Logger;
  /** Milliseconds within which the carrier must begin to answer. */
  answerMs?: number;
}

/**
 * Recordings of calls. The token is the capability: anyone who knows it can listen until the call is deleted.
 * Supports range requests.
 */
export function recordingRoutes({
  database: { db },
  carrier,
  log,
  answerMs = 15_000,
}: RecordingDependencies): Hono {
  const routes = new Hono();
  routes.get('/:token{[\\w-]{43}}', async (c) => {
    const [call] = await db
      .select({
        id: calls.id,
        type: calls.type,
        messages: calls.messages,
        duration: calls.duration,
        recordingId: calls.carrierRecordingId,
      })
      .from(calls)
      .where(eq(calls.recordingToken, c.req.param('token')));
    if (!call) return notFound(c);
    if (call.type === 'web') {
      const recording = await findRecording(db, call.id);
      if (!recording) return notFound(c);
      return answerWith(c, storedRecordingSize(recording), (start, end) =>
        readRecording(db, recording, start, end),
      );
    }
    if (carrier.readRecording) {
      if (call.recordingId === null) return c.json({ message: 'The recording is not ready yet.' }, 404);
      const late = new AbortController();
      const timer = setTimeout(() => {
        late.abort(new DOMException('The carrier did not answer in time.', 'TimeoutError'));
      }, answerMs);
      try {
        const signal = AbortSignal.any([c.req.raw.signal, late.signal]);
        const range = c.req.header('Range');
        // The carrier may ignore the range.
        return await passOn(
          c,
          answerRange(await carrier.readRecording(call.recordingId, range, signal), range),
        );
      } catch (error) {
        log.warn({ err: error, callId: call.id }, 'a recording was not read from the carrier');
        return unreadable(c);
      } finally {
        clearTimeout(timer);
      }
    }
    return answerWith(c, recordingSize(call.duration), (start, end) =>
      synthesizeRecording(call.messages, call.duration, start, end),
    );
  });
  return routes;
}

const unreadable = (c: Context) => c.json({ message: 'The recording cannot be read at the moment.' }, 502);

const notFound = (c: Context) => c.json({ message: 'Recording not found.' }, 404);

/**
 * Answers with a WAV file, or with the requested range of it.
 *
 * @param read yields the bytes from `start` up to but not including `end`.
 */
function answerWith(
  c: Context,
  size: number,
  read: (start: number, end: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Response {
  const range = readByteRange(c.req.header('Range'), size);
  protect(c);
  if (range === 'unsatisfiable') {
    c.header('Content-Range', `bytes */${size}`);
    return c.json({ message: 'The range starts after the end of the recording.' }, 416);
  }
  const { start, end } = range ?? { start: 0, end: size };
  c.header('Content-Type', 'audio/wav');
  c.header('Content-Length', String(end - start));
  c.header('Content-Disposition', 'inline; filename="recording.wav"');
  if (range) c.header('Content-Range', `bytes ${start}-${end - 1}/${size}`);
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD') return c.body(null, status);
  return c.body(Readable.toWeb(Readable.from(read(start, end))) as ReadableStream, status);
}

function protect(c: Context): void {
  c.header('Accept-Ranges', 'bytes');
  c.header('Cache-Control', 'private, no-cache');
  // The URL is a secret, so it must not be sent as referrer.
  c.header('Referrer-Policy', 'no-referrer');
  c.header('Cross-Origin-Resource-Policy', 'cross-origin');
}

/** Passes a carrier's recording on, with no more than what describes its bytes: the rest would name the carrier. */
async function passOn(c: Context, recording: Response): Promise<Response> {
  const { status, body, headers } = recording;
  if (status !== 200 && status !== 206 && status !== 416) {
    await body?.cancel();
    return status === 404 ? notFound(c) : unreadable(c);
  }
  protect(c);
  for (const name of ['Content-Type', 'Content-Length', 'Content-Range']) {
    const value = headers.get(name);
    if (value !== null) c.header(name, value);
  }
  c.header('Content-Disposition', 'inline; filename="recording.wav"');
  if (c.req.method !== 'HEAD') return new Response(body, c.body(null, status));
  await body?.cancel();
  return c.body(null, status);
}
