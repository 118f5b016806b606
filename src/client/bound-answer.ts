import { limits } from '../contract/limits.ts';

/** Cuts a text of a service down to a size that a page can draw. */
export function boundText(text: string): string {
  return text.length > limits.answer.characters ? text.slice(0, limits.answer.characters) : text;
}

/**
 * Cuts the texts and lists of tool calls in a parsed answer down to sizes that a page can draw, before they are checked
 * one by one. Changes the value in place.
 */
export function boundAnswer(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') fields[name] = boundText(value);
    else if (name === 'function_calls' && Array.isArray(value)) value.splice(limits.answer.functionCalls);
    else if (name === 'history' && Array.isArray(value)) for (const message of value) boundAnswer(message);
    else if (name === 'data') boundAnswer(value);
  }
}
