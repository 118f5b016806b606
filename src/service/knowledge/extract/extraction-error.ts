/** A document has no text to offer, and will have none next time. The message says why, to the document's owner. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
}
