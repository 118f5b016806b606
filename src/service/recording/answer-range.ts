/** A byte range from `start` up to but not including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Parses a `Range` header (RFC 9110, section 14). Multiple and invalid ranges are ignored, as the RFC allows.
 *
 * @returns undefined for the whole file, `unsatisfiable` for a range that starts after its end.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/**
 * Answers a range request for a file whose server has sent the whole file. Any other response, or one of unknown length,
 * is returned unchanged.
 */
export function answerRange(whole: Response, header: string | undefined): Response {
  const size = Number(whole.headers.get('Content-Length'));
  const isWhole = whole.status === 200 && whole.body !== null && size > 0;
  const range = isWhole ? readByteRange(header, size) : undefined;
  if (!range || !whole.body) return whole;
  if (range === 'unsatisfiable') {
    void whole.body.cancel();
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${String(size)}` } });
  }
  const { start, end } = range;
  return new Response(whole.body.pipeThrough(part(start, end)), {
    status: 206,
    headers: {
      'Content-Type': whole.headers.get('Content-Type') ?? 'audio/wav',
      'Content-Length': String(end - start),
      'Content-Range': `bytes ${String(start)}-${String(end - 1)}/${String(size)}`,
    },
  });
}

/** Passes on the bytes of a range, and then stops reading. */
function part(start: number, end: number): TransformStream<Uint8Array, Uint8Array> {
  let at = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const first = Math.max(0, start - at);
      const last = Math.min(chunk.length, end - at);
      if (first < last) controller.enqueue(chunk.subarray(first, last));
      at += chunk.length;
      if (at >= end) controller.terminate();
    },
  });
}
