/** Milliseconds without new text after which a complete sentence is released. */
const idleMs = 300;

/** A full stop after a digit, such as in "3.50", may be part of a number unless a space follows. */
const completeEnd = /(?:\D[.!?…。！？؟]|[.!?…。！？؟]\s)["'”’»)*_\s]*$/u;

/** Whether a text ends with a complete sentence. */
export const endsSentence = (text: string): boolean => completeEnd.test(text);

/**
 * What `Intl.Segmenter` takes for the end of a sentence, although it often is not: an initial, the number of a day or a
 * list item, and abbreviations before names and numbers. Speech would pause there. Two sentences that are taken for one
 * only start a little later, so "No." is not in the list: it is an answer, too.
 */
const abbreviation =
  /(?<![\p{L}\p{N}])(?:\p{L}|\p{N}{1,2}|Dr|Mr|Mrs|Ms|Prof|St|Nr|Tel|Hr|Fr|\p{L}*str|Sr|Sra|Dra|Mme|Mlle|Sig|Dott|Av|Núm)\.[^\S\n]+$/iu;

/**
 * Splits a streamed text into sentences. Sentences keep their spaces, so that they join to the original text. The last
 * sentence is held back, since it may continue, until more text arrives or the stream pauses after a complete sentence.
 * An empty chunk releases it in any case.
 */
export async function* sentences(text: AsyncIterable<string>, language: string): AsyncGenerator<string> {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  let rest = '';
  for await (const chunk of withPauses(text, () => endsSentence(rest))) {
    if (chunk === '') {
      if (rest !== '') yield rest;
      rest = '';
      continue;
    }
    const text = rest + chunk;
    rest = '';
    for (const { segment } of segmenter.segment(text)) {
      if (rest !== '' && !abbreviation.test(rest)) {
        yield rest;
        rest = '';
      }
      rest += segment;
    }
  }
  if (rest !== '') yield rest;
}

/**
 * Yields the chunks of a text, and an empty chunk when the stream pauses.
 *
 * @param mayPause whether a pause matters at this point.
 */
export async function* withPauses(
  text: AsyncIterable<string>,
  mayPause: () => boolean,
): AsyncGenerator<string> {
  const chunks = text[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<string>> | undefined;
  try {
    for (;;) {
      next ??= startNext(chunks);
      const result = mayPause() ? await unlessIdle(next) : await next;
      if (result !== undefined) next = undefined;
      if (result?.done === true) return;
      yield result?.value ?? '';
    }
  } finally {
    await chunks.return?.();
  }
}

/** Prevents an unhandled rejection: the promise may be awaited only later. */
function startNext(chunks: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}

/** Returns undefined if the promise is pending for longer than {@link idleMs}. */
async function unlessIdle<Value>(next: Promise<Value>): Promise<Value | undefined> {
  const idle = Promise.withResolvers<undefined>();
  const timer = setTimeout(idle.resolve, idleMs, undefined);
  try {
    return await Promise.race([next, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}
