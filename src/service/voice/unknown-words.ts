/** The text of an utterance whose transcription failed. */
export const unknownWords = '…';
