import { ChatError, type ChatErrorCode } from '../../client/chat-client.ts';

/** What can go wrong, as the panel shows it: the client's codes, and what the widget finds out by itself. */
export type ProblemCode = ChatErrorCode | 'offline' | 'assistant-id-missing' | 'assistant-id-malformed';

/** A failure as plain data: it is shown, kept over a reload, and told to the page. */
export interface Problem {
  readonly code: ProblemCode;
  /** The service's own words, or the client's. */
  readonly message: string;
  /** When another try makes sense, milliseconds since 1970, where the service said so. */
  readonly retryAt?: number;
}

/** The site's tag asks for something that no service would accept; found out without a request. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
  readonly problem: Problem;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/** Puts any thrown value into the form of a problem. */
export function problemFrom(error: unknown, now: number, isOnline: boolean): Problem {
  if (error instanceof InvalidRequestError) return error.problem;
  if (!(error instanceof ChatError)) {
    return { code: 'bad-response', message: String(error) };
  }
  const { code, message, retryAfter } = error;
  // A service that says “at once” is not taken at its word: it would be asked without end.
  const waitsFor = code === 'too-many-requests' ? Math.max(1, retryAfter ?? 30) : undefined;
  return {
    code: code === 'network' && !isOnline ? 'offline' : code,
    message,
    ...(waitsFor !== undefined && { retryAt: now + waitsFor * 1000 }),
  };
}

/** Failures that pass by themselves: sending the same again later can help. */
export function isPassing(problem: Problem): boolean {
  return passing.has(problem.code);
}

const passing: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'network',
  'offline',
  'timeout',
  'aborted',
  'unavailable',
  'bad-response',
  'response-too-large',
  'too-many-requests',
  'insufficient-balance',
  'conversation-not-found',
  'conversation-ended',
]);
