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

/** Numbers that are tried between two tasks of the page. */
const batch = 200;

/**
 * Finds the number whose digest with the salt is the challenge.
 *
 * @returns the payload for the service in Base64; undefined if there is no solution, or it was aborted
 */
export async function solveChallenge(
  given: unknown,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  // Browsers have `subtle` on secure pages only.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  if (!isChallenge(given) || !subtle) return undefined;
  const { algorithm, challenge, salt, signature, maxnumber } = given;
  const encoder = new TextEncoder();
  const matches = async (number: number) => {
    const digest = new Uint8Array(await subtle.digest(algorithm, encoder.encode(salt + String(number))));
    return hex(digest) === challenge;
  };
  for (let first = 0; first <= maxnumber && !signal?.aborted; first += batch) {
    // A loop, since a page's scripts may have replaced `Array.from`.
    const attempts: Promise<boolean>[] = [];
    for (let number = first; number <= maxnumber && attempts.length < batch; number++)
      attempts.push(matches(number));
    const found = (await Promise.all(attempts)).indexOf(true);
    if (found >= 0) return btoa(toJson({ algorithm, challenge, number: first + found, salt, signature }));
  }
  return undefined;
}

const hex = (bytes: Uint8Array) =>
  Array.prototype.map.call(bytes, (byte: number) => byte.toString(16).padStart(2, '0')).join('');
