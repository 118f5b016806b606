import { fitText } from '../lib/storable.ts';
import { isDeeperThan, maximumDepth } from '../lib/nesting.ts';
import type { FetchGuarded, OutgoingAnswer } from '../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import { hidden, secretHider } from './hide-secrets.ts';

/** A tool as far as a call of it goes (interface: "Mid-call tools"). */
export interface CallableTool {
  endpoint: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Seconds. */
  timeout: number;
  headers: { name: string; value: string }[];
}

/** Longest answer that becomes a result, in bytes. It goes to the model, and stays in the conversation. */
const answerBytes = 65_536;

/** How much a model gets to read of an answer that is no result, in UTF-16 code units. */
const excerptLength = 1000;

/**
 * Calls a tool over HTTP: GET and DELETE send the arguments as query parameters, the others as a JSON body. JSON of a
 * 2xx answer is the result; anything else is a result that says what went wrong. Values of the tool's headers are taken
 * out of it, since a server may repeat what it was sent.
 *
 * @throws the signal's reason, once it is aborted.
 */
export async function callTool(
  fetchGuarded: FetchGuarded,
  tool: CallableTool,
  given: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const inQuery = tool.method === 'GET' || tool.method === 'DELETE';
  try {
    const answer = await fetchGuarded(inQuery ? withQuery(tool.endpoint, given) : tool.endpoint, {
      method: tool.method,
      headers: {
        Accept: 'application/json',
        ...(!inQuery && { 'Content-Type': 'application/json' }),
        ...Object.fromEntries(tool.headers.map(({ name, value }) => [name, value])),
      },
      ...(!inQuery && { body: JSON.stringify(given) }),
      timeoutMs: tool.timeout * 1000,
      maxBytes: answerBytes,
      signal,
    });
    return readResult(answer, secretHider(tool.headers));
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { error: `The function could not be called: ${error.message}.` };
  }
}

function withQuery(endpoint: string, given: Record<string, unknown>): string {
  const url = URL.parse(endpoint);
  if (!url) return endpoint;
  for (const [name, value] of Object.entries(given)) url.searchParams.set(name, String(value));
  return url.href;
}

function readResult({ status, text }: OutgoingAnswer, hide: (text: string) => string): unknown {
  if (status >= 200 && status <= 299) {
    if (text.trim() === '') return { status };
    const json = parse(text);
    if (json === undefined) return { error: 'The function did not answer with JSON.', status };
    if (isDeeperThan(json, maximumDepth)) {
      return { error: 'The answer of the function is nested too deep.', status };
    }
    return clean(json, hide);
  }
  // A reason such as “no such order” helps the model to go on.
  const excerpt = fitText(hide(text)).slice(0, excerptLength).toWellFormed();
  return {
    error: `The function answered with the status ${status}.`,
    status,
    ...(excerpt !== '' && { body: excerpt }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What may be stored and shown of JSON that is not nested too deep. */
function clean(json: unknown, hide: (text: string) => string): unknown {
  if (typeof json === 'string') return fitText(hide(json));
  if (typeof json === 'number') return hide(String(json)) === hidden ? hidden : json;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => clean(item, hide));
  return Object.fromEntries(
    Object.entries(json).map(([name, item]) => [fitText(hide(name)), clean(item, hide)]),
  );
}
