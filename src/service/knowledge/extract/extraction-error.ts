/** A document has no usable text, and trying again would not help. Its owner reads the message. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
}
