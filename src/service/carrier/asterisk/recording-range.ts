/**
 * Answers a range request for a file whose server does not support ranges. Invalid and multiple ranges get the whole
 * file, as RFC 9110 allows.
 *
 * @param whole the response with the whole file and its length.
 */
export function answerRange(whole: Response, range: string | undefined): Response {
  const length = Number(whole.headers.get('Content-Length'));
  const type = whole.headers.get('Content-Type') ?? 'audio/wav';
  const headers = { 'Content-Type': type, 'Accept-Ranges': 'bytes' };
  const match = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '');
  if (!match || !whole.body || !(length > 0) || (match[1] === '' && match[2] === '')) {
    return new Response(whole.body, { headers: { ...headers, 'Content-Length': String(length) } });
  }
  const [, from = '', to = ''] = match;
  const start = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (start > end) {
    void whole.body.cancel();
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${String(length)}` } });
  }
  return new Response(whole.body.pipeThrough(part(start, end)), {
    status: 206,
    headers: {
      ...headers,
      'Content-Length': String(end - start + 1),
      'Content-Range': `bytes ${String(start)}-${String(end)}/${String(length)}`,
    },
  });
}

/** Passes on the bytes from `start` to `end`, both included, and then stops reading. */
function part(start: number, end: number): TransformStream<Uint8Array, Uint8Array> {
  let at = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const first = Math.max(0, start - at);
      const last = Math.min(chunk.length, end + 1 - at);
      if (first < last) controller.enqueue(chunk.subarray(first, last));
      at += chunk.length;
      if (at > end) controller.terminate();
    },
  });
}
