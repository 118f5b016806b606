import type { StoredFunctionCall } from '../db/schema.ts';

/** Returns a function call as visitors may see it: of a private tool, its name alone. */
export const visibleFunctionCall = (call: StoredFunctionCall): StoredFunctionCall =>
  call.private ? { name: call.name, arguments: {} } : call;

/** Returns a function call as the assistant's owner may see it. */
export function functionCallForOwner(stored: StoredFunctionCall): Omit<StoredFunctionCall, 'private'> {
  const call = { ...stored };
  delete call.private;
  return call;
}
