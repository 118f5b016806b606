import { ChatError, type ChatErrorCode } from '../../client/chat-client.ts';
import { codesWithUnknownOutcome } from '../../client/chat-error.ts';
import { retryTime } from './sending/retries.ts';

/** The code of a failure: the client's codes, and those of the widget. */
export type ProblemCode =
  ChatErrorCode | 'offline' | 'assistant-id-missing' | 'assistant-id-malformed' | 'base-url-missing';

/** A failure as plain data: it is shown, stored with its message, and dispatched to the page. */
export interface Problem {
  readonly code: ProblemCode;
  /** The error message of the service or the client. */
  readonly message: string;
  /** When the browser tries again by itself, milliseconds since 1970; undefined if it does not (`retryTime`). */
  readonly retryAt?: number | undefined;
}

/** Converts a thrown value to a problem. */
export function problemFrom(error: unknown, now: number, isOnline: boolean): Problem {
  if (!(error instanceof ChatError)) {
    return { code: 'bad-response', message: String(error) };
  }
  const { code, message } = error;
  return {
    code: code === 'network' && !isOnline ? 'offline' : code,
    message,
    retryAt: retryTime(error, now),
  };
}

/** Whether the failure is temporary: sending the same message again later can succeed. */
export function isTemporary(problem: Problem): boolean {
  return temporary.has(problem.code);
}

/** Whether another user token may help. */
export function isTokenProblem(problem: Problem | undefined): boolean | undefined {
  return problem?.code.startsWith('user-token');
}

const temporary: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...codesWithUnknownOutcome,
  'offline',
  'too-many-requests',
  'insufficient-balance',
  'limit-reached',
  'conversation-not-found',
  'conversation-ended',
]);
