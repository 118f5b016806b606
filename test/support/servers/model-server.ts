import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** A request to a language model: the fields that tests use. */
export interface ChatRequest {
  model: string;
  temperature?: number;
  stream?: boolean;
  messages: {
    role: string;
    content: string;
    tool_calls?: RequestedCall[];
    tool_call_id?: string;
    reasoning_content?: string;
  }[];
  tools?: { type: string; function: { name: string; description: string; parameters: unknown } }[];
  tool_choice?: string;
  /** Value of the Authorization header. */
  authorization: string | undefined;
}

/** A function call of an earlier response. */
interface RequestedCall {
  id: string;
  extra_content?: { google: { thought_signature: string } };
  function: { name: string; arguments: string };
}

/** A function call; a string as its arguments is sent unchanged, as by a model that writes invalid JSON. */
export interface ModelCall {
  name: string;
  arguments: Record<string, unknown> | string;
}

/** The model's behavior for a request. */
export interface Behavior {
  /** Refuses a temperature, as reasoning models do. */
  refusesTemperature?: boolean;
  /** Refuses requests with tools, with this message. */
  refusesTools?: string;
  /** Fails with this status and an error body in the provider's format. */
  status?: number;
  /** The code in the body of that error. */
  code?: string;
  /** The message in it; by default a text with the key. */
  message?: string;
  /** Sends the fields of that error without `error` around them, as older versions of vLLM do. */
  isBare?: boolean;
  /**
   * The chunks of the answer; promises delay theirs. Arrays are parts, as from Mistral's reasoning models. By default, the answer repeats the question. Without chunks, an
   * answer that is not streamed has no `choices`.
   */
  chunks?: (string | object[] | Promise<string>)[];
  /** Requests these function calls, then answers with `chunks` after their results. Ignored without tools. */
  calls?: ModelCall[];
  /** Before the end, sends a chunk without `delta`, as the content filter of Azure does, and one without `choices`. */
  annotates?: boolean;
  /** Gives all function calls the index 0, as some servers do, so that only their ids tell them apart. */
  sharesIndex?: boolean;
  /**
   * Sends a field with its function calls, and refuses requests that lack it: a reasoning text in any answer, as
   * DeepSeek in thinking mode, or a signature of the calls since the visitor's latest message, as Gemini 3.
   */
  requires?: 'reasoning' | 'signature';
  /** Sends a reasoning text with its function calls, and does not require it. */
  reasons?: boolean;
  /** Sends each function call whole, with the index 0 and an empty id, as some servers do. */
  sendsWhole?: boolean;
  /** Calls the function that the last `CALL name` in the prompt names, also if a visitor or a document wrote it. */
  obeys?: boolean;
  /** Text before the function calls. */
  before?: string;
  /** Milliseconds before each chunk. */
  pause?: number;
  /** Delays the first chunk. */
  gate?: Promise<unknown>;
  /** After the last chunk: ends the stream, breaks the connection, or keeps it open without sending anything. */
  ending?: 'stop' | 'cut' | 'silence';
  /** The tokens that it reports after each response; none by default. */
  usage?: { prompt_tokens: number; completion_tokens: number };
  /** Never responds, not even with headers. */
  hang?: boolean;
  /** Responds with a web page and the status 200, after `gate`. */
  isWebPage?: boolean;
  /** The error in the first event of a stream with the status 200. */
  errorEvent?: object;
  /** The behavior for the tests with which services start; by default, only `status` applies to them. */
  startTest?: Behavior;
}

/** A real server for OpenAI's chat completions protocol, streamed or not, whose behavior a test sets. */
export interface ModelServer {
  /** The value for `LLM_BASE_URL`. */
  readonly url: string;
  /** Every request so far, oldest first, without the tests with which services start: these get only a status. */
  readonly requests: readonly ChatRequest[];
  /** Sets the behavior for all further requests. Other processes `PUT` a behavior to `/behaviour`. */
  behave(behavior: Behavior | ((request: ChatRequest) => Behavior)): void;
  /** The number of requests whose client left before the end of the response. */
  readonly cancelled: number;
  /** Resolves once it has received that many requests. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a model server on a free port. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  let choose: (request: ChatRequest) => Behavior = () => ({});
  let progress = Promise.withResolvers<undefined>();
  let cancelled = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body: unknown = JSON.parse((await readText(incoming)) || '{}');
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Methods', 'PUT');
    response.setHeader('Access-Control-Allow-Headers', '*');
    if (incoming.method === 'OPTIONS') return void response.writeHead(204).end();
    if (incoming.method === 'PUT' && incoming.url === '/behaviour') {
      choose = () => body as Behavior;
      return void response.writeHead(204).end();
    }
    if (incoming.url !== '/v1/chat/completions') return void response.writeHead(404).end('{}');
    const request = { ...(body as ChatRequest), authorization: incoming.headers.authorization };
    if (isStartTest(request)) {
      const { status, startTest = status === undefined ? {} : { status } } = choose(request);
      await answer(request, startTest, response);
      return;
    }
    requests.push(request);
    response.once('close', () => {
      if (!response.writableEnded) cancelled += 1;
    });
    progress.resolve(undefined);
    progress = Promise.withResolvers();
    await answer(request, choose(request), response);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  // A busy client could otherwise send a request just as the server closes the unused connection.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get cancelled() {
      return cancelled;
    },
    behave(behavior) {
      choose = typeof behavior === 'function' ? behavior : () => behavior;
    },
    async received(count) {
      while (requests.length < count) await progress.promise;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const isStartTest = ({ stream, messages }: ChatRequest) =>
  stream === true && messages.length === 1 && messages[0]?.content === 'Say hello.';

async function answer(request: ChatRequest, behavior: Behavior, response: ServerResponse): Promise<void> {
  const { status, gate, hang = false, pause = 0, ending = 'stop' } = behavior;
  if (hang) return;
  if (behavior.isWebPage) {
    await gate;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>\n<title>Chat</title>\n');
    return;
  }
  if (behavior.refusesTemperature && request.temperature !== undefined) {
    const message = `Unsupported value: 'temperature' does not support ${request.temperature} with this model.`;
    const error = { message, type: 'invalid_request_error', param: 'temperature', code: 'unsupported_value' };
    response.writeHead(400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error }));
    return;
  }
  const refusal = status === undefined && describeRefusal(request, behavior);
  if (refusal) {
    response.writeHead(400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { message: refusal, type: 'invalid_request_error' } }));
    return;
  }
  if (status !== undefined) {
    const { message = `leaked ${request.authorization ?? ''}`, code = null, isBare } = behavior;
    const error = { message, type: 'test_error', code };
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isBare ? { object: 'error', ...error } : { error }));
    return;
  }
  const chunks = behavior.chunks ?? [`You said: ${request.messages.at(-1)?.content ?? ''}`];
  const envelope = { id: 'chatcmpl-1', created: 1, model: request.model };
  if (request.stream !== true) {
    await gate;
    const parts: (string | object[])[] = [];
    for (const chunk of chunks) parts.push(await chunk);
    const hasOnlyText = parts.every((part) => typeof part === 'string');
    const message = { role: 'assistant', content: hasOnlyText ? parts.join('') : parts.flat() };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const choices = chunks.length > 0 ? [{ index: 0, message, finish_reason: 'stop' }] : undefined;
    const { usage } = behavior;
    response.end(
      JSON.stringify({ ...envelope, object: 'chat.completion', choices, ...(usage && { usage }) }),
    );
    return;
  }
  const send = (delta: object | undefined, finish: string | null) =>
    response.write(
      `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  if (behavior.errorEvent) {
    response.end(`data: ${JSON.stringify({ error: behavior.errorEvent })}\n\n`);
    return;
  }
  send({ role: 'assistant', content: '' }, null);
  await gate;
  const { before, usage } = behavior;
  const calls = behavior.obeys ? orderedCalls(request) : behavior.calls;
  const end = (finish: string) => {
    send({}, finish);
    if (usage) response.write(`data: ${JSON.stringify({ ...envelope, choices: [], usage })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  if (calls && request.tools && request.tool_choice !== 'none' && request.messages.at(-1)?.role !== 'tool') {
    if (behavior.reasons || behavior.requires === 'reasoning')
      for (const text of reasoning) send({ reasoning_content: text }, null);
    if (before !== undefined) send({ content: before }, null);
    for (const chunk of chunksOf(calls, behavior)) send({ tool_calls: [chunk] }, null);
    end('tool_calls');
    return;
  }
  for (const content of chunks) {
    if (pause > 0) await delay(pause);
    send({ content: await content }, null);
  }
  if (behavior.annotates) {
    // `JSON.stringify` leaves it out.
    send(undefined, null);
    response.write(`data: ${JSON.stringify(envelope)}\n\n`);
  }
  if (ending === 'silence') return;
  if (ending === 'cut') {
    // The chunks should arrive before the connection breaks.
    response.write(': \n\n', () => response.destroy());
    return;
  }
  end('stop');
}

/** The reason to refuse a request for its tools or the function calls in its messages, if there is one. */
function describeRefusal(
  { messages, tools }: ChatRequest,
  { requires, refusesTools }: Behavior,
): string | undefined {
  if (refusesTools !== undefined && tools) return refusesTools;
  if (!messages.every(isValid)) return 'Invalid tool call.';
  const lacks = ({ role, reasoning_content: text }: ChatRequest['messages'][number]) =>
    role === 'assistant' && text === undefined;
  if (requires === 'reasoning' && messages.some(lacks))
    return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
  const latest = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const isSigned = latest.every(
    ({ tool_calls: [first] = [] }) => !first || first.extra_content?.google.thought_signature === signature,
  );
  if (requires === 'signature' && !isSigned)
    return 'Function call is missing a thought_signature in functionCall parts.';
  return undefined;
}

/**
 * Whether the ids of all calls differ, their names are valid, as OpenAI requires, and their arguments are JSON objects,
 * as vLLM and llama.cpp require.
 */
function isValid({ tool_calls: calls = [] }: ChatRequest['messages'][number]): boolean {
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return false;
  return calls.every(({ id, function: { name, arguments: written } }) => {
    if (id === '' || !/^[\w-]{1,64}$/.test(name)) return false;
    try {
      const value: unknown = JSON.parse(written);
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    } catch {
      return false;
    }
  });
}

/** What a model sends that has to be sent back to it. */
export const reasoning = ['They ask for ', 'the order.'];
const signature = 'c2lnbmF0dXJl';

/** Function calls as models stream them: the name first, then the arguments in chunks. */
function chunksOf(calls: ModelCall[], { sharesIndex, sendsWhole, requires }: Behavior): object[] {
  return calls.flatMap(({ name, arguments: args }, position) => {
    const index = sharesIndex ? 0 : position;
    const json = typeof args === 'string' ? args : JSON.stringify(args);
    if (sendsWhole) return [{ index: 0, id: '', type: 'function', function: { name, arguments: json } }];
    const half = Math.ceil(json.length / 2);
    const signed = requires === 'signature' &&
      position === 0 && { extra_content: { google: { thought_signature: signature } } };
    return [
      { index, id: `call_${position}`, type: 'function', function: { name, arguments: '' }, ...signed },
      { index, function: { arguments: json.slice(0, half) } },
      { index, function: { arguments: json.slice(half) } },
    ];
  });
}

function orderedCalls({ messages, tools = [] }: ChatRequest): ModelCall[] | undefined {
  const orders = [...JSON.stringify(messages).matchAll(/CALL (\w+)/g)].map(([, name]) => name ?? '');
  const name = orders.findLast((each) => tools.some((tool) => tool.function.name === each));
  return name === undefined ? undefined : [{ name, arguments: {} }];
}
