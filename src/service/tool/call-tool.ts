import { fitText } from '../lib/storable.ts';
import { isDeeperThan, maxDepth } from '../lib/json-depth.ts';
import type { FetchGuarded, OutgoingAnswer } from '../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import { splitCredentials } from '../outgoing/url-credentials.ts';
import { headerValueRedactor, redacted } from './redact-header-values.ts';

/** The fields of a mid-call tool that a call needs (interface: "Mid-call tools"). */
export interface CallableTool {
  endpoint: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Seconds. */
  timeout: number;
  headers: { name: string; value: string }[];
}

/** Longest response, in bytes. It is sent to the model and stored with the conversation. */
export const responseLimit = 65_536;

/** Longest excerpt of an error response for the model, in UTF-16 code units. */
const excerptLimit = 1000;

/**
 * Calls a tool over HTTP: GET and DELETE send the arguments as query parameters, the others as a JSON body. The result
 * is the JSON of a 2xx response, or a description of the failure. Values of the tool's headers and the credentials in
 * its address are redacted, since a server may repeat them.
 *
 * @throws the signal's reason once it is aborted.
 */
export async function callTool(
  fetchGuarded: FetchGuarded,
  tool: CallableTool,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const inQuery = tool.method === 'GET' || tool.method === 'DELETE';
  const { address, authorization, password } = splitCredentials(tool.endpoint);
  const credentials = { name: 'authorization', value: authorization.Authorization ?? '' };
  const secrets = [credentials, { name: 'password', value: password }, ...tool.headers];
  try {
    const answer = await fetchGuarded(inQuery ? withQuery(address, args) : address, {
      method: tool.method,
      headers: {
        Accept: 'application/json',
        ...(!inQuery && { 'Content-Type': 'application/json' }),
        ...authorization,
        ...Object.fromEntries(tool.headers.map(({ name, value }) => [name, value])),
      },
      ...(!inQuery && { body: JSON.stringify(args) }),
      timeoutMs: tool.timeout * 1000,
      maxBytes: responseLimit,
      signal,
    });
    return readResult(answer, headerValueRedactor(secrets));
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

function readResult({ status, text }: OutgoingAnswer, redact: (text: string) => string): unknown {
  if (status >= 200 && status <= 299) {
    if (text.trim() === '') return { status };
    const json = parse(text);
    if (json === undefined) return { error: 'The function did not answer with JSON.', status };
    if (isDeeperThan(json, maxDepth)) {
      return { error: 'The answer of the function is nested too deep.', status };
    }
    return sanitize(json, redact);
  }
  // A reason such as “no such order” helps the model.
  const excerpt = fitText(redact(text)).slice(0, excerptLimit).toWellFormed();
  return {
    error: `The function answered with the status ${status}.`,
    status,
    ...(excerpt !== '' && { body: excerpt }),
  };
}

/** Returns an integer that a number cannot represent, such as an id of 64 bits, as a string. */
const keepDigits = (_: string, value: unknown, { source = '' }: { source?: string } = {}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;

function parse(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    return undefined;
  }
}

/** Makes JSON storable and redacts it. Its depth has been checked. */
function sanitize(json: unknown, redact: (text: string) => string): unknown {
  if (typeof json === 'string') return fitText(redact(json));
  if (typeof json === 'number') return redact(String(json)) === redacted ? redacted : json;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => sanitize(item, redact));
  return Object.fromEntries(
    Object.entries(json).map(([name, item]) => [fitText(redact(name)), sanitize(item, redact)]),
  );
}
