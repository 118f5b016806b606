/** What of a call says where its recording is. */
export interface Recorded {
  recordingToken: string | null;
  /** Where a carrier keeps it. */
  recordingUrl: string | null;
}

/**
 * Where a call's recording is found, null without one. It is put together when it is asked for, so that it is right
 * after the service has moved.
 */
export const recordingAddress = (
  origin: string,
  { recordingToken, recordingUrl }: Recorded,
): string | null => (recordingToken === null ? recordingUrl : `${origin}/api/recordings/${recordingToken}`);
