/** The fields of a call that identify its recording. */
export interface RecordingFields {
  recordingToken: string | null;
  /** The carrier's URL of the recording. */
  recordingUrl: string | null;
}

/**
 * Returns the URL of a call's recording, or null if there is none. The URL is not stored, so that it stays valid
 * after the service moves.
 */
export const recordingUrlOf = (
  origin: string,
  { recordingToken, recordingUrl }: RecordingFields,
): string | null => (recordingToken === null ? recordingUrl : `${origin}/api/recordings/${recordingToken}`);
