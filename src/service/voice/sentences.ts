/** Milliseconds without more text after which a text that looks complete is no longer held back. */
const idleMs = 300;

/** A full stop after a digit, such as in "3.50", may be within a number unless a space follows. */
const completeEnd = /(?:\D[.!?…。！？؟]|[.!?…。！？؟]\s)["'”’»)*_\s]*$/u;

/** Whether a text that pauses here has come to the end of a sentence. */
export const endsSentence = (text: string): boolean => completeEnd.test(text);

/**
 * Splits a text into sentences while it arrives. Each keeps its spaces, so that together they are the text. The last
 * sentence so far is held back, since it may continue, until more text comes, or pauses after the end of a sentence. An
 * empty chunk says that the text pauses, whatever its end.
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
    const found = Array.from(segmenter.segment(rest + chunk), ({ segment }) => segment);
    rest = found.pop() ?? '';
    yield* found;
  }
  if (rest !== '') yield rest;
}

/**
 * Yields the chunks of a text, and an empty one if no more comes for a while.
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

/** Its error is handled when it is awaited, which may be later. */
function startNext(chunks: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}

/** Returns undefined if nothing comes for a while. */
async function unlessIdle<Value>(next: Promise<Value>): Promise<Value | undefined> {
  const idle = Promise.withResolvers<undefined>();
  const timer = setTimeout(idle.resolve, idleMs, undefined);
  try {
    return await Promise.race([next, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}
