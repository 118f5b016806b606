import { limits } from '../contract/limits.ts';

/**
 * Truncates the texts and tool calls of a parsed response, in place, to sizes that a page can render. Runs before
 * validation, so that only the remaining items are checked.
 */
export function truncateResponse(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') fields[name] = value.slice(0, limits.answer.characters);
    else if (name === 'function_calls' && Array.isArray(value)) value.splice(limits.answer.functionCalls);
    else if (name === 'history' && Array.isArray(value))
      for (const message of value) truncateResponse(message);
    else if (name === 'data') truncateResponse(value);
  }
}
