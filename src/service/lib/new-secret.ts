import { randomBytes } from 'node:crypto';

/** Returns an unguessable text of 43 letters, digits, `-` and `_`. */
export const newSecret = (): string => randomBytes(32).toString('base64url');
