import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

/** Returns the size of a file in bytes after Brotli compression at the highest quality. */
export function compressedSize(path: string): number {
  return compressedLength(readFileSync(path));
}

/** Returns the number of bytes after Brotli compression at the highest quality. */
export function compressedLength(content: string | Uint8Array): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  return brotliCompressSync(content, { params }).length;
}
