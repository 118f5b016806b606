import { toJson } from '../../../client/to-json.ts';
import type { PageTool } from '../../page-tool.ts';

/** The time limit of a tool, in milliseconds. */
export const timeLimit = 30_000;

/** The outcome of a tool call; the result is JSON. */
export interface ToolOutcome {
  readonly outcome: 'done' | 'failed';
  readonly result: unknown;
}

/**
 * Runs a page tool. Never rejects: errors and timeouts are results too.
 *
 * @param signal aborts waiting for the result
 */
export async function runTool(
  tool: PageTool,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { promise: cancellation, reject: cancel } = withReject();
  const timer = setTimeout(() => {
    cancel(new Error(`It took more than ${timeLimit / 1000} seconds.`));
  }, timeLimit);
  const onAbort = (): void => {
    cancel(new Error(visitorLeft));
  };
  signal.addEventListener('abort', onAbort);
  try {
    if (signal.aborted) throw new Error(visitorLeft);
    // A copy: a tool that changes its arguments must not change the call.
    const copy = Promise.resolve(JSON.parse(toJson(args)) as typeof args);
    const result = await Promise.race([copy.then((args) => tool.run(args)), cancellation]);
    return { outcome: 'done', result: asJson(result) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'failed', result: { error: asJson(message) } };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Converts a value to JSON without null characters, which the service refuses. Returns null for a value that has no
 * JSON, such as a window.
 */
function asJson(value: unknown): unknown {
  try {
    const json = toJson(value).replace(/\\(u0000|.)/g, (escape, kind) => (kind === 'u0000' ? '' : escape));
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

/** `Promise.withResolvers`, which not every supported browser has. */
function withReject(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, doReject) => (reject = doReject));
  return { promise, reject };
}

const visitorLeft = 'The visitor left the page.';
