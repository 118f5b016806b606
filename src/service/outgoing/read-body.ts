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

/** The limit of a body. */
export interface BodyLimit {
  /** Bytes, both compressed and decompressed. */
  maxBytes: number;
  /** Whether a longer body is truncated; otherwise it is an error. */
  cut: boolean;
  /** Whether a body that cannot be read to its end is truncated; otherwise it is an error. */
  partial: boolean;
}

/**
 * Reads and decompresses a body and closes its connection. Never holds more than the limit in memory.
 *
 * @throws OutgoingError
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  limit: BodyLimit,
): Promise<Uint8Array> {
  // Destroying the body early makes it emit an error, which is expected.
  body.on('error', () => undefined);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decode(body, encoding) as AsyncIterable<Uint8Array>) {
      const room = limit.maxBytes - length;
      if (chunk.length > room) {
        if (!limit.cut)
          throw new OutgoingError('too-large', `the answer is longer than ${limit.maxBytes} bytes`);
        chunks.push(chunk.subarray(0, room));
        break;
      }
      chunks.push(chunk);
      length += chunk.length;
    }
  } catch (error) {
    if (!limit.partial) throw error;
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
