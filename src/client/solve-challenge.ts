import { sha256 } from '@noble/hashes/sha2.js';
import { toJson } from './to-json.ts';

/** A challenge of the protocol ALTCHA, version 1. */
interface Challenge {
  algorithm: 'SHA-256';
  /** Hexadecimal. */
  challenge: string;
  salt: string;
  signature: string;
  maxnumber: number;
}

/** A service may make visitors wait, but not for minutes. Without a schema, which would enlarge the panel. */
function isChallenge(given: unknown): given is Challenge {
  const { algorithm, challenge, salt, signature, maxnumber } = (given ?? {}) as Record<string, unknown>;
  return (
    algorithm === 'SHA-256' &&
    [challenge, salt, signature].every((each) => typeof each === 'string') &&
    Number(maxnumber) <= 1_000_000
  );
}

/** Attempts between two tasks of the page: some ten milliseconds. */
const batch = 1000;

/**
 * Finds the number whose digest with the salt is the challenge. Without `crypto.subtle`, which pages without HTTPS lack
 * and which takes no less time for short texts. The salt is hashed once.
 *
 * @returns the payload for the service in Base64; undefined if there is no solution, or it was aborted
 */
export async function solveChallenge(
  given: unknown,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!isChallenge(given)) return undefined;
  const { algorithm, challenge, salt, signature, maxnumber } = given;
  const encoder = new TextEncoder();
  const salted = sha256.create().update(encoder.encode(salt));
  const attempt = sha256.create();
  const digest = new Uint8Array(attempt.outputLen);
  const firstByte = parseInt(challenge.slice(0, 2), 16);
  for (let number = 0; number <= maxnumber; number++) {
    if (number % batch === 0) await nextTask();
    if (signal?.aborted) return undefined;
    salted
      ._cloneInto(attempt)
      .update(encoder.encode(String(number)))
      .digestInto(digest);
    if (digest[0] === firstByte && hex(digest) === challenge)
      return btoa(toJson({ algorithm, challenge, number, salt, signature }));
  }
  return undefined;
}

/** Lets the page work. Browsers delay timers that set each other: 4 ms each, a second in hidden tabs. */
const nextTask = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

const hex = (bytes: Uint8Array) =>
  Array.prototype.map.call(bytes, (byte: number) => byte.toString(16).padStart(2, '0')).join('');
