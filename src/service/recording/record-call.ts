import type { Logger } from 'pino';
import type { SQL } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { AudioRecorder } from './audio-recorder.ts';
import type { CallAudio } from './audio-recorder.ts';
import { findPosition, storeChunk } from './store-chunk.ts';
import type { RecordingPosition } from './store-chunk.ts';

/** A call and its current line. */
interface RecordedCall {
  id: number;
  /** Matches the call while this process owns this line. */
  isLeased: SQL | undefined;
  /** Seconds since the call was answered. */
  elapsed: number;
}

/** Starts to record a call. The recording continues that of an earlier line. */
export function recordCall(
  { database: { db }, log }: { database: Database; log: Logger },
  { id, isLeased, elapsed }: RecordedCall,
  audio: CallAudio,
): AudioRecorder {
  const { rate } = audio;
  let position: RecordingPosition | undefined;
  const recorder = new AudioRecorder(
    rate,
    async (chunk) => {
      position ??= await findPosition(db, id, { rate, elapsed });
      return storeChunk(db, isLeased, { ...chunk, rate }, position);
    },
    log.child({ callId: id }),
  );
  audio.listen(recorder);
  return recorder;
}
