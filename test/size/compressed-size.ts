import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

/** The size of a file compressed with Brotli at its best quality. */
export function compressedSize(path: string): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  return brotliCompressSync(readFileSync(path), { params }).length;
}
