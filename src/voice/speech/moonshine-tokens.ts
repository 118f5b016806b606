/** Returns the contents of `tokens.txt` for Moonshine, whose package has none. */
export async function moonshineTokens(): Promise<string> {
  // Loaded on demand: a process that only speaks does not need it.
  const { default: llamaTokenizer } = await import('llama-tokenizer-js');
  return llamaTokenizer.vocabById
    .map((token: string, id: number) => `${Buffer.from(token).toString('base64')}\t${id}\n`)
    .join('');
}
