import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { calls, recordingChunks } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { Resampler } from '../voice/resampler.ts';
import type { AudioChunk } from './audio-recorder.ts';

const compress = promisify(deflateRaw);

/** The position of the next part in a recording. */
export interface RecordingPosition {
  /** Sample rate of the recording. */
  rate: number;
  /** Samples since the call was answered. */
  first: number;
}

/**
 * Finds the position of a part that starts `elapsed` seconds after the call was answered. It is never before the end of
 * the stored parts.
 *
 * @param rate the sample rate of the audio; a recording keeps its first rate.
 */
export async function findPosition(
  queries: Queries,
  callId: number,
  { rate, elapsed }: { rate: number; elapsed: number },
): Promise<RecordingPosition> {
  const [stored] = await queries
    .select({
      rate: recordingChunks.rate,
      end: sql<number>`max(${recordingChunks.first} + ${recordingChunks.length})`,
    })
    .from(recordingChunks)
    .where(eq(recordingChunks.callId, callId))
    .groupBy(recordingChunks.rate);
  const kept = stored?.rate ?? rate;
  return { rate: kept, first: Math.max(Math.round(elapsed * kept), stored?.end ?? 0) };
}

/**
 * Stores a part of the recording of a call.
 *
 * @param isLeased identifies the call; nothing is stored if it does not match.
 * @param rate sample rate of the part.
 * @param position position of the part whose `first` is 0.
 * @returns whether the part was stored.
 */
export async function storeChunk(
  queries: Queries,
  isLeased: SQL | undefined,
  chunk: AudioChunk & { rate: number },
  position: RecordingPosition,
): Promise<boolean> {
  const sides = [chunk.visitor, chunk.assistant].map((side) => convert(side, chunk.rate, position.rate));
  const length = sides[0]?.length ?? 0;
  const first = position.first + Math.round((chunk.first * position.rate) / chunk.rate);
  // Node.js runs on little-endian machines only.
  const audio = await compress(Buffer.concat(sides.map(toBytes)), { level: 1 });
  const stored = await queries
    .insert(recordingChunks)
    .select(
      queries
        .select({
          callId: calls.id,
          first: sql<number>`${first}::integer`.as('first'),
          length: sql<number>`${length}::integer`.as('length'),
          rate: sql<number>`${position.rate}::integer`.as('rate'),
          audio: sql<Buffer>`${audio}::bytea`.as('audio'),
        })
        .from(calls)
        .where(isLeased),
    )
    // An earlier attempt may have succeeded without its response arriving.
    .onConflictDoUpdate({
      target: [recordingChunks.callId, recordingChunks.first],
      set: { length, audio },
    })
    .returning({ callId: recordingChunks.callId });
  return stored.length > 0;
}

/** A browser may send audio at another rate after it reconnects. */
function convert(samples: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  const converted = new Int16Array(Math.round((samples.length * to) / from));
  const beginning = resampler.convert(samples);
  converted.set(beginning);
  converted.set(resampler.end().subarray(0, converted.length - beginning.length), beginning.length);
  return converted;
}

const toBytes = (samples: Int16Array) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
