import { createHmac } from 'node:crypto';
import type { VoiceConfig } from './voice-config.ts';
import type { IceServer } from './voice-module.ts';

/** Validity of TURN credentials in seconds: longer than the longest call. */
const validSeconds = 3600;

/**
 * Returns the STUN and TURN servers for one call. TURN credentials expire, as with coturn's `use-auth-secret`.
 *
 * @param now milliseconds since 1970.
 */
export function iceServersOf(
  { stunUrl, turn }: Pick<VoiceConfig, 'stunUrl' | 'turn'>,
  now = Date.now(),
): IceServer[] {
  const servers: IceServer[] = stunUrl === undefined ? [] : [{ urls: stunUrl }];
  if (!turn) return servers;
  const username = String(Math.floor(now / 1000) + validSeconds);
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [...servers, { urls: turn.url, username, credential }];
}
