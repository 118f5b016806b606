import { ConversationError } from '../lib/conversation-error.ts';

/**
 * Checks the `Origin` header of a request against the `allowed_origins` of an assistant. This keeps other sites from
 * embedding the assistant; a program that is not a browser can send any origin.
 *
 * @param allowed origins such as `https://shop.example` or `https://*.shop.example`; empty allows any.
 * @throws ConversationError
 */
export function checkOrigin(allowed: readonly string[], origin: string | undefined): void {
  if (allowed.length === 0 || allowed.some((pattern) => matches(pattern, origin ?? ''))) return;
  throw ConversationError.originNotAllowed(origin);
}

/** `*.` matches one or more subdomains, but not the domain itself. */
function matches(pattern: string, origin: string): boolean {
  const [before, after] = pattern.split('*');
  if (before === undefined || after === undefined) return origin === pattern;
  return origin.startsWith(before) && origin.endsWith(after) && origin.length > pattern.length - 1;
}
