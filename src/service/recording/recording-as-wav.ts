import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { and, asc, eq, gt, gte, sql } from 'drizzle-orm';
import { recordingChunks } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { wavHeader, wavHeaderLength } from '../voice/wav-header.ts';
import { chunkSeconds } from './audio-recorder.ts';

const decompress = promisify(inflateRaw);

/** The stored recording of a web call. */
export interface StoredRecording {
  callId: number;
  /** Samples per second. */
  rate: number;
  /** Number of samples per side. */
  length: number;
}

/** Bytes of one sample of both sides. */
const pairBytes = 4;

/** Finds the recording of a web call; undefined if there is none. */
export async function findRecording(queries: Queries, callId: number): Promise<StoredRecording | undefined> {
  const [found] = await queries
    .select({
      rate: recordingChunks.rate,
      length: sql<number>`max(${recordingChunks.first} + ${recordingChunks.length})`,
    })
    .from(recordingChunks)
    .where(eq(recordingChunks.callId, callId))
    .groupBy(recordingChunks.rate);
  return found && { callId, ...found };
}

/** Size in bytes of a recording as a WAV file. */
export const storedRecordingSize = ({ length }: StoredRecording): number =>
  wavHeaderLength + length * pairBytes;

/**
 * Yields the bytes of a WAV file from `start` up to but not including `end`. The visitor is on the left channel, the
 * assistant on the right.
 */
export async function* readRecording(
  queries: Queries,
  recording: StoredRecording,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if (start < wavHeaderLength) {
    const header = wavHeader({ rate: recording.rate, channels: 2, bits: 16 }, recording.length * pairBytes);
    yield header.subarray(start, Math.min(end, wavHeaderLength));
  }
  let at = Math.max(start, wavHeaderLength);
  while (at < end) {
    const sample = Math.floor((at - wavHeaderLength) / pairBytes);
    const pairs = await readPairs(queries, recording, sample);
    const skipped = (at - wavHeaderLength) % pairBytes;
    const bytes = pairs.subarray(skipped, skipped + end - at);
    yield bytes;
    at += bytes.length;
  }
}

/** Reads both sides from a sample up to the end of its chunk, or of the silence before the next chunk. */
async function readPairs(queries: Queries, recording: StoredRecording, sample: number): Promise<Buffer> {
  const { callId, rate } = recording;
  const { first, length } = recordingChunks;
  const [chunk] = await queries
    .select()
    .from(recordingChunks)
    .where(
      and(
        eq(recordingChunks.callId, callId),
        gte(first, sample - rate * chunkSeconds),
        gt(sql`${first} + ${length}`, sample),
      ),
    )
    .orderBy(asc(first))
    .limit(1);
  if (!chunk || chunk.first > sample) {
    const silence = Math.min((chunk?.first ?? recording.length) - sample, rate * chunkSeconds);
    return Buffer.alloc(silence * pairBytes);
  }
  return interleave(await decompress(chunk.audio), chunk.length).subarray((sample - chunk.first) * pairBytes);
}

/** Interleaves the samples of both sides, which are stored one after the other. */
function interleave(sides: Buffer, length: number): Buffer {
  const pairs = Buffer.alloc(length * pairBytes);
  for (let index = 0; index < length; index++) {
    pairs.writeUInt16LE(sides.readUInt16LE(index * 2), index * pairBytes);
    pairs.writeUInt16LE(sides.readUInt16LE((length + index) * 2), index * pairBytes + 2);
  }
  return pairs;
}
