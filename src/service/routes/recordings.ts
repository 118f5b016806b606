import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { Hono } from 'hono';
import { recordingSize, synthesiseRecording } from '../call/synthesise-recording.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';

/**
 * Recordings of calls. The token is the capability: whoever knows it hears the recording, for as long as the call's
 * record is kept. Players ask for parts.
 */
export function recordingRoutes({ db }: Database): Hono {
  const routes = new Hono();
  routes.get('/:token{[\\w-]{43}}', async (c) => {
    const [call] = await db
      .select({ lines: calls.lines, duration: calls.duration })
      .from(calls)
      .where(eq(calls.recordingToken, c.req.param('token')));
    if (!call) return c.json({ message: 'Recording not found.' }, 404);
    const size = recordingSize(call.duration);
    const range = readByteRange(c.req.header('Range'), size);
    c.header('Accept-Ranges', 'bytes');
    c.header('Cache-Control', 'private, no-cache');
    // An address that is a secret must not be told to the next site.
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cross-Origin-Resource-Policy', 'cross-origin');
    if (range === 'unsatisfiable') {
      c.header('Content-Range', `bytes */${size}`);
      return c.json({ message: 'The recording ends before that range.' }, 416);
    }
    const { start, end } = range ?? { start: 0, end: size };
    c.header('Content-Type', 'audio/wav');
    c.header('Content-Length', String(end - start));
    c.header('Content-Disposition', 'inline; filename="recording.wav"');
    if (range) c.header('Content-Range', `bytes ${start}-${end - 1}/${size}`);
    const bytes = synthesiseRecording(call.lines, call.duration, start, end);
    const status = range ? 206 : 200;
    if (c.req.method === 'HEAD') return c.body(null, status);
    return c.body(Readable.toWeb(Readable.from(bytes)) as ReadableStream, status);
  });
  return routes;
}

/** Part of a file: from `start` up to and without `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Reads a `Range` header (RFC 9110, section 14). Several ranges at once, and what is no range, count as none, as the
 * RFC allows: the answer is the whole file then.
 *
 * @returns undefined for the whole, `unsatisfiable` for a range that begins behind the end.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
