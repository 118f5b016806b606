import { limits } from '../../contract/limits.ts';
import { isVerifiedName } from '../../contract/user-token.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** Returns the variables without the `private_variables` of an assistant. */
export const withoutPrivate = (given: StoredVariables, names: readonly string[]): StoredVariables =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

/** Maximum number of variables in a conversation: the assistant's own and as many of the visitor's. */
const countLimit = 2 * limits.variables.count;

/**
 * Merges the variables of a message into those of its conversation.
 *
 * @throws ConversationError if there are too many afterwards: each message may bring new names.
 */
export function mergeVariables(known: StoredVariables, given: StoredVariables): StoredVariables {
  const merged = { ...known, ...given };
  if (!isTooMany(merged)) return merged;
  throw new ConversationError(
    'invalid-request',
    `variables: a conversation may have at most ${countLimit}, its assistant's included`,
    { field: 'variables' },
  );
}

/** The claims of a user token have a separate limit. */
export const isTooMany = (variables: StoredVariables): boolean =>
  Object.keys(variables).filter((name) => !isVerifiedName(name)).length > countLimit;
