import { createHmac, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Seconds since 1970, in a number of seconds from now. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a user token for one minute, with HS256 by a secret or with EdDSA by a private key. */
export function signUserToken(
  key: string | KeyObject,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const alg = typeof key === 'string' ? 'HS256' : 'EdDSA';
  const content = `${encode({ alg, typ: 'JWT', ...header })}.${encode({ exp: secondsFromNow(60), ...claims })}`;
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(content).digest()
      : sign(null, Buffer.from(content), key);
  return `${content}.${signature.toString('base64url')}`;
}
