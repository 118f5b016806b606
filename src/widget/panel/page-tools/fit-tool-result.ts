import { toJson } from '../../../client/to-json.ts';
import type { ToolResult } from '../../../contract/client-tool.ts';
import { clientToolLimits } from '../../../contract/client-tool-limits.ts';
import { countCharacters } from '../../../contract/limits.ts';

const limit = clientToolLimits.toolResults.characters;

const sizeOf = (value: unknown): number => countCharacters(toJson(value));

/**
 * Shortens a tool result to the length that the service accepts: first the result, and the arguments if they alone take
 * more than half of it. A service would refuse the message, and all later ones, with a result that is too long.
 */
export function fitToolResult({ name, arguments: args, result }: ToolResult): ToolResult {
  const fitted = { name, arguments: shorten(args, limit / 2, 'The arguments are too long') };
  const rest = limit - sizeOf({ ...fitted, result: 0 });
  return { ...fitted, result: shorten(result, rest, 'The result is too long') };
}

/** Returns a value as it is, or the beginning of its JSON if that has more than `most` characters. */
function shorten<T>(value: T, most: number, problem: string) {
  if (sizeOf(value) <= most) return value;
  const text = toJson(value);
  const beginningOf = (length: number) => ({
    error: `${problem}; this is the beginning.`,
    beginning: text.slice(0, length),
  });
  // Escaping makes the text longer, so its maximum length is found by bisection.
  let [fits, room] = [0, most];
  while (fits < room) {
    const middle = Math.ceil((fits + room) / 2);
    if (sizeOf(beginningOf(middle)) <= most) fits = middle;
    else room = middle - 1;
  }
  return beginningOf(fits);
}
