import { inflateRawSync } from 'node:zlib';
import { ExtractionError } from './extraction-error.ts';

/** Bounds of what a file may unpack to: files in it, bytes of each, bytes of all. */
const limit = { files: 5000, each: 64 * 1024 * 1024, all: 160 * 1024 * 1024 };

const signature = { end: 0x06054b50, entry: 0x02014b50, local: 0x04034b50 };

/**
 * Makes sure that a ZIP file (APPNOTE 6.3, the parts that every reader agrees on) unpacks to a reasonable size, by
 * unpacking it: what it says of itself may be a lie.
 *
 * @throws ExtractionError
 */
export function checkZip(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    check(file);
  } catch (cause) {
    if (cause instanceof ExtractionError) throw cause;
    throw new ExtractionError('The file is not a readable Word document (.docx).', { cause });
  }
}

function check(file: Buffer): void {
  // The end record is followed by a comment of at most 65,535 bytes.
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || file.readUInt32LE(end) !== signature.end) throw new Error('no end record');
  const count = file.readUInt16LE(end + 10);
  if (count > limit.files) throw tooLarge();
  let at = file.readUInt32LE(end + 16);
  let total = 0;
  for (let index = 0; index < count; index++) {
    if (file.readUInt32LE(at) !== signature.entry) throw new Error('no entry');
    const method = file.readUInt16LE(at + 10);
    const packed = file.readUInt32LE(at + 20);
    const local = file.readUInt32LE(at + 42);
    total += unpackedSize(file, local, packed, method);
    if (total > limit.all) throw tooLarge();
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
}

function unpackedSize(file: Buffer, local: number, packed: number, method: number): number {
  if (file.readUInt32LE(local) !== signature.local) throw new Error('no local header');
  const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
  if (method === 0) return packed;
  try {
    return inflateRawSync(file.subarray(start, start + packed), { maxOutputLength: limit.each }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw error;
  }
}

const tooLarge = () => new ExtractionError('The file unpacks to more than a document can have.');
