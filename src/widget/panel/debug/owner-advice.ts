import type { Problem, ProblemCode } from '../../conversation/problem.ts';

/** Advice for the site's owner, by code. */
const advice: Readonly<Record<ProblemCode, string>> = {
  'assistant-id-missing': 'Set assistant-id to the UUID of the assistant.',
  'base-url-missing': 'Set base-url to the address of the service, as in https://assistants.example.',
  'assistant-id-malformed': 'The assistant-id has to be a UUID.',
  'assistant-not-found': 'No assistant has this id at this service: check assistant-id and base-url.',
  'conversation-not-found': 'The service no longer has this conversation: the visitor can start a new one.',
  'conversation-ended': 'The visitor can start a new conversation; unsent messages move there.',
  'insufficient-balance': 'The owner of the assistant has to top up. Until then, type="test" is free.',
  'limit-reached': 'A daily limit of the assistant is used up; limits are fields of the assistant.',
  'origin-not-allowed': 'Add the origin of this page to allowed_origins of the assistant.',
  'user-token-required': 'Set user-token to a token of the signed-in user.',
  'user-token-expired': 'Set user-token to a new token of the same user.',
  'user-token-invalid': 'Check how the token is signed, and the secret of the assistant.',
  'invalid-request': 'The service refused the request: its message says why.',
  'too-many-requests': 'The service has a limit of requests per address.',
  'engine-failed': 'The language model did not answer: see the log of the service.',
  unavailable: 'The service has a problem: see its log. If nothing is there, check base-url.',
  refused:
    'Something in front of the service refuses the request, such as a proxy: see its log, or check base-url.',
  network:
    'The service cannot be reached: check base-url, its certificate, that it allows this origin (CORS), that it uses HTTPS if the page does (mixed content), connect-src, and the network.',
  offline: 'The browser is offline.',
  aborted: 'The connection broke before the answer was complete.',
  timeout: 'The answer takes too long: see the log of the service, or check base-url.',
  'bad-response': 'The response does not follow the interface: check base-url.',
  'response-too-large': 'The response is too large: check base-url.',
};

/** A problem as shown to the site's owner. */
export function describeProblem({ code, message, retryAt }: Problem): string {
  const wait = retryAt === undefined ? '' : ` Tried again in ${Math.ceil((retryAt - Date.now()) / 1000)} s.`;
  return `${code}: “${message}” ${advice[code]}${wait}`;
}
