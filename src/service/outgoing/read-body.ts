import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutgoingError } from './outgoing-error.ts';

// Some servers send an empty body with an encoding. Like browsers, these accept one that ends early.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const decoders = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', () => createGunzip(lenient)],
  ['x-gzip', () => createGunzip(lenient)],
  ['deflate', () => createInflate(lenient)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

/**
 * The result of a body that is not read to its end. `refuse`: an error; `cut`: the first bytes of a body that is too
 * long, and otherwise an error; `keep`: the bytes that were read, also if the body breaks off, cannot be decoded or is
 * not complete in time.
 */
export type IncompleteBody = 'refuse' | 'cut' | 'keep';

/** The limit of a body. */
export interface BodyLimit {
  /** Bytes, both compressed and decompressed. */
  maxBytes: number;
  incompleteBody: IncompleteBody;
}

/**
 * Reads and decompresses a body and closes its connection. Never holds more than the limit in memory.
 *
 * @throws OutgoingError
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, incompleteBody }: BodyLimit,
): Promise<Uint8Array> {
  // Destroying the body early makes it emit an error, which is expected.
  body.on('error', () => undefined);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decode(body, encoding) as AsyncIterable<Uint8Array>) {
      const room = maxBytes - length;
      if (chunk.length > room) {
        if (incompleteBody === 'refuse')
          throw new OutgoingError('too-large', `the answer is longer than ${maxBytes} bytes`);
        chunks.push(chunk.subarray(0, room));
        break;
      }
      chunks.push(chunk);
      length += chunk.length;
    }
  } catch (error) {
    if (incompleteBody !== 'keep') throw error;
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

function decode(body: Readable, encoding: string | undefined): AsyncIterable<unknown> {
  const name = encoding?.trim().toLowerCase() ?? '';
  const decoder = decoders.get(name)?.();
  if (!decoder) {
    // Others are not compressed: some servers send `utf-8`.
    if (!/gzip|deflate|\bbr\b|zstd|compress/.test(name)) return body;
    body.destroy();
    throw new OutgoingError('unreachable', 'the answer has an unsupported content encoding');
  }
  // An error of either stream ends both; the reader gets it from the decoder.
  pipeline(body, decoder, () => undefined);
  return decoder;
}
