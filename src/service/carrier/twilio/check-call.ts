import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Line } from '../../voice/line.ts';

/*
 * `carrier check --call` makes a call without a record in the database. The process that receives its connection
 * recognizes it by a short-lived token that only the holder of the auth token can create.
 */

const validMs = 10 * 60 * 1000;
const sentence = 'Hello! This is the test call of your voice assistant. It works. Goodbye!';

/** The id of a test call, which has no record. */
export const checkCallId = 0;

/** Creates the token of a test call. */
export function checkToken(authToken: string, at = Date.now()): string {
  const signature = createHmac('sha256', authToken).update(`carrier check ${at}`).digest('base64url');
  return `${at}.${signature}`;
}

/** Whether the token belongs to a test call and has not expired. */
export function isCheckToken(token: string, authToken: string): boolean {
  const at = Number(/^\d{1,15}(?=\.)/.exec(token)?.[0] ?? NaN);
  if (!(Math.abs(Date.now() - at) < validMs)) return false;
  const [given, expected] = [Buffer.from(token), Buffer.from(checkToken(authToken, at))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Says one sentence and hangs up. */
export async function runCheckCall(line: Line): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/require-await -- an iterable without waiting
  async function* text() {
    yield sentence;
  }
  await line.say(text(), 30, AbortSignal.timeout(60_000));
  await line.hangUp();
}
