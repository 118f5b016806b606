import { APIError } from 'openai/error';
import { pino } from 'pino';
import type { Logger } from 'pino';

/** The loggable parts of an error: never the parameters of a query, nor values that a database error quotes. */
interface LoggedError {
  type: string;
  message?: string;
  code?: string;
  /** The status of an HTTP response. */
  status?: number;
  stack?: string;
  cause?: LoggedError;
  /** The errors of an `AggregateError`. */
  errors?: LoggedError[];
}

/** Most bytes that wait while the log cannot be written; later lines are dropped. */
const bufferLimit = 1_000_000;

/**
 * Creates the logger: JSON lines on standard error, since standard output is for the output of commands. Message texts,
 * keys and conversation UUIDs are never logged.
 */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: bufferLimit });
  // Without a listener, a full disk would make each call of the logger throw. The lines are written once there is space.
  destination.on('error', () => undefined);
  return pino({ level, base: null, serializers: { err: describeError } }, destination);
}

/**
 * Describes an error without personal data and keys. Drizzle puts a query's parameters into its message, PostgreSQL quotes
 * the offending value of a data exception (class 22) or a violated constraint (class 23), and servers of models and
 * speech quote keys and texts.
 */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const status = error instanceof APIError ? (error.status as number | undefined) : undefined;
  const quotesValues =
    error.name === 'DrizzleQueryError' ||
    error.message.startsWith('Failed query') ||
    /^2[23]/.test(code ?? '') ||
    status !== undefined;
  const frames = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
  return {
    type: error.constructor.name,
    ...(quotesValues ? {} : { message: error.message }),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(frames === undefined ? {} : { stack: frames }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  };
}
