import { ChatError } from './errors.ts';

/**
 * Yields a response's text piece by piece, so that neither a page nor a process is flooded by an endless answer.
 *
 * @param limit bytes
 * @param onPiece called for every piece before it is decoded: a sign of life
 * @throws {ChatError} `response-too-large` past the limit. What the transport throws passes through.
 */
export async function* readText(
  response: Response,
  limit: number,
  onPiece: () => void,
): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onPiece();
      bytes += value.byteLength;
      if (bytes > limit) {
        throw new ChatError('response-too-large', `The service's answer is larger than ${limit} bytes.`);
      }
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Also when the consumer stops early: the rest is not wanted. A broken stream may refuse; there is nothing to save.
    reader.cancel().catch(() => undefined);
  }
}
