/** A document has no usable text, and retrying would not help. Its owner sees the message. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
}
