import { ChatError } from './chat-error.ts';

/**
 * Yields a response's text in chunks, up to a limit. A caller that stops early has to abort the request.
 *
 * @param limit bytes
 * @param onChunk called for every chunk before it is decoded
 * @throws {ChatError} `response-too-large` beyond the limit; errors of the transport are rethrown
 */
export async function* readText(
  response: Response,
  limit: number,
  onChunk: () => void,
): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    onChunk();
    bytes += value.byteLength;
    if (bytes > limit)
      throw new ChatError('response-too-large', `The response is larger than ${limit} bytes.`);
    yield decoder.decode(value, { stream: true });
  }
  yield decoder.decode();
}
