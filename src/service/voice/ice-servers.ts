import { createHmac } from 'node:crypto';
import type { WebCallConfig } from './web-call-config.ts';
import type { IceServer } from './voice-module.ts';

/** Validity of TURN credentials in seconds: longer than the longest call. */
const validSeconds = 3600;

/** Returns the STUN and TURN servers for one call. TURN credentials expire, as with coturn's `use-auth-secret`. */
export function iceServersOf({ stunUrl, turn }: Pick<WebCallConfig, 'stunUrl' | 'turn'>): IceServer[] {
  const servers: IceServer[] = stunUrl === undefined ? [] : [{ urls: stunUrl }];
  if (!turn) return servers;
  const username = String(Math.floor(Date.now() / 1000) + validSeconds);
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [...servers, { urls: turn.url, username, credential }];
}
