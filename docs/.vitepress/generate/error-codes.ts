import type { ChatErrorCode } from '../../../src/client/chat-error.ts';
import type { ProblemCode } from '../../../src/widget/conversation/problem.ts';
import { code, table } from './table.ts';

/** Cause and cure of every error code. The compiler refuses a missing or unknown code. */
const errors: Readonly<Record<ChatErrorCode | ProblemCode, readonly [cause: string, cure: string]>> = {
  'assistant-id-missing': ['The tag has no `assistant-id`.', 'Set it to the UUID of the assistant.'],
  'assistant-id-malformed': ['`assistant-id` is not a UUID.', 'Copy the UUID again.'],
  'base-url-missing': [
    'The chat is part of a bundle, and the tag has no `base-url`. The request would go to the site itself.',
    'Set `base-url` to the address of the service.',
  ],
  'assistant-not-found': [
    'The service does not know the assistant, or it was deleted.',
    'Check `assistant-id`, and that `base-url` is the service with this assistant.',
  ],
  'conversation-not-found': [
    'The conversation was deleted.',
    'Nothing to do: the chat offers a new one, which keeps unsent messages.',
  ],
  'conversation-ended': [
    'The conversation has ended and accepts no more messages.',
    'The chat offers a new one. To let visitors resume it, set `conversation_ended_retrigger` of the assistant.',
  ],
  'insufficient-balance': ["The balance of the assistant's owner is too low.", 'Top up the balance.'],
  'limit-reached': [
    'A daily limit of the assistant or its owner is used up.',
    'Wait until midnight UTC, or raise the [limit](/http#limits-of-an-assistant).',
  ],
  'origin-not-allowed': [
    "The page's origin is not in the assistant's `allowed_origins`. The console names it.",
    'Add the origin, such as `https://shop.example`.',
  ],
  'user-token-required': [
    'The assistant requires a [user token](/recipes/signed-in-users).',
    'Set `user-token` for signed-in visitors, or hide the chat from others.',
  ],
  'user-token-expired': ['The user token has expired.', 'Set a new `user-token`.'],
  'user-token-invalid': [
    'The user token or preview token is not valid. The message says why.',
    'Check the secret, the algorithm, `sub` and `exp`.',
  ],
  'invalid-request': [
    'The service rejected the message or the variables, or a value could not be sent, such as cyclic variables.',
    'The message names the field; for values that could not be sent, `cause` does. Check it against the [limits](/http#limits).',
  ],
  'too-many-requests': [
    'The rate limit was exceeded.',
    'The chat waits and sends the message again. Behind a proxy, set `TRUST_PROXY`, or all visitors count as one.',
  ],
  'engine-failed': [
    'Generating the answer failed. Nothing was charged.',
    'Read the log of the service: model address, key, quota.',
  ],
  unavailable: [
    'The service failed (5xx).',
    'Read the log of the service and `/readyz`. If the request is not in the log, check `base-url`.',
  ],
  refused: ['The service refused the request for another reason.', 'The message has the reason.'],
  offline: ['The browser has no connection.', 'The chat sends the message when the browser is online again.'],
  network: [
    'The service could not be reached, or the connection broke.',
    'Check `base-url`, the TLS certificate, the page’s [Content Security Policy](/recipes/csp), and ad blockers. On a page with HTTPS, the service needs HTTPS, too.',
  ],
  timeout: [
    'No response within the time limit.',
    'Check that proxies pass event streams on without buffering them.',
  ],
  'bad-response': [
    'The response is invalid, a redirect, or a 404 without a message.',
    'Something else answers at `base-url`: an error page of a proxy, or another server. If it redirects, for example from HTTP to HTTPS, use the address that it leads to.',
  ],
  'response-too-large': [
    'The response exceeds the [limit](/http#limits).',
    'Check what answers at `base-url`.',
  ],
  aborted: ['The request was aborted.', 'Nothing to do.'],
};

export function errorCodesTable(): string {
  return table(
    ['Code', 'Cause', 'Cure'],
    Object.entries(errors).map(([name, [cause, cure]]) => [code(name), cause, cure]),
  );
}
