import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The operation of a request; `other` is any that the API does not have. */
export type Operation = 'open' | 'read' | 'send' | 'stop' | 'delete' | 'widget' | 'other';

export interface Line {
  readonly role: string;
  readonly content: string;
}

export interface SeenRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed JSON; undefined if the request has no body. */
  readonly body: unknown;
}

/** A deviation from normal behavior, for one request. */
export interface Step {
  /**
   * Where the connection breaks: before the request is read, before the first byte of the response, in the middle of
   * its JSON, or after that many events of a stream. Unless it is `unread`, the message is stored and answered.
   */
  readonly cut?: 'unread' | 'unanswered' | 'half' | number;
  /** Delays the handling of the request until this resolves. */
  readonly transit?: Promise<unknown>;
  /** Stores the message, but answers it only when this resolves. A stream starts before that. */
  readonly thinking?: Promise<unknown>;
  /** Number of events of a stream to send before `thinking`. Default 1. */
  readonly begins?: number;
  /** Stores the message, then returns an error instead of an answer and removes the message from the history. */
  readonly loses?: boolean;
  /** Sends this response instead, and stores nothing. */
  readonly answer?: CannedAnswer;
  /** Writes the whole response; nothing is stored. */
  readonly raw?: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;
}

export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and bytes are sent unchanged, other values as JSON. */
  readonly body: unknown;
}

export interface ChatServerOptions {
  /** Whether the server answers with an event stream if a request accepts one. */
  readonly streams?: boolean;
  /** Whether the server supports `Idempotency-Key`. Default false, since services without it are the harder case. */
  readonly knowsKeys?: boolean;
  /** The first message of a new conversation. */
  readonly greeting?: string;
}

interface Stored {
  readonly uuid: string;
  readonly history: Line[];
  readonly answers: Map<string, Promise<boolean>>;
}

const engineFailed = { status: false, error: 'Failed to process message: the model is out of order' };

/** The server's answer to a message. */
export const answerTo = (message: string): string => `You said: ${message}. Anything else?`;

/** The events of a streamed answer, in order and in wire format. */
export function eventsOf(answer: string): string[] {
  const deltas = answer.match(/\S+\s*/g) ?? [];
  const done = { status: true, message: answer, function_calls: [] };
  return [
    ...deltas.map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`),
    `event: done\ndata: ${JSON.stringify(done)}\n\n`,
  ];
}

/**
 * Another vendor's implementation of the API, over real HTTP, with its data in memory. It conforms to the specification
 * unless a test sets a `Step`. Its stored messages show whether one was lost or duplicated.
 */
export class ChatServer {
  readonly requests: SeenRequest[] = [];
  /** Number of requests in progress. */
  active = 0;
  /** Called with each request. Returns a step that overrides the planned one, or undefined if the request is lost. */
  wire: ((operation: Operation, response: ServerResponse) => Promise<Step | undefined>) | undefined;
  readonly #server: Server;
  readonly #options: ChatServerOptions;
  readonly #conversations = new Map<string, Stored>();
  readonly #openings = new Map<string, Stored>();
  readonly #steps: { operation: Operation; step: Step }[] = [];

  private constructor(options: ChatServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.active++;
      void this.#handle(request, response).finally(() => this.active--);
    });
  }

  static async start(options: ChatServerOptions = {}): Promise<ChatServer> {
    const server = new ChatServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Applies a step to the next request of an operation that has none yet. */
  next(operation: Operation, step: Step): void {
    this.#steps.push({ operation, step });
  }

  /** Sends this response to the next request of an operation, and stores nothing. */
  answerNext(operation: Operation, body: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.next(operation, { answer: { status, headers, body } });
  }

  /** Number of steps that have not been applied yet. */
  get pendingSteps(): number {
    return this.#steps.length;
  }

  seen(operation: Operation): SeenRequest[] {
    return this.requests.filter((request) => request.operation === operation);
  }

  get conversations(): string[] {
    return [...this.#conversations.keys()];
  }

  historyOf(uuid: string): readonly Line[] {
    return this.#conversations.get(uuid)?.history ?? [];
  }

  /** Adds messages to a conversation, as a human agent or another device does. */
  write(uuid: string, ...lines: Line[]): void {
    this.#conversations.get(uuid)?.history.push(...lines);
  }

  delete(uuid: string): void {
    this.#conversations.delete(uuid);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { operation, uuid } = route(request);
    const at = this.#steps.findIndex((step) => step.operation === operation);
    const planned = at < 0 ? {} : (this.#steps.splice(at, 1)[0]?.step ?? {});
    if (planned.cut === 'unread') {
      request.socket.destroy();
      return;
    }
    const text = await readBody(request);
    if (text === undefined) return;
    const passage = this.wire ? await this.wire(operation, response) : {};
    if (passage === undefined) return;
    const step = { ...planned, ...passage };
    const { method = '', url = '', headers } = request;
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    this.requests.push({ operation, method, url, headers, body });
    await step.transit;
    if (step.raw) return step.raw(response, request);
    if (step.answer) {
      answerWith(response, step.answer);
      return;
    }
    const conversation = this.#conversations.get(uuid);
    if (operation === 'open') this.#open(response, step, headers['idempotency-key']);
    else if (operation === 'widget' || operation === 'stop' || operation === 'other')
      answerWith(response, { status: 404, body: { message: 'Not found' } });
    else if (conversation === undefined)
      answerWith(response, { status: 404, body: { status: false, error: 'Conversation not found' } });
    else if (operation === 'delete') {
      this.#conversations.delete(uuid);
      sendJson(response, step, { status: true });
    } else if (operation === 'read')
      sendJson(response, step, { status: true, history: conversation.history });
    else await this.#send(conversation, request, response, step, (body as { message: string }).message);
  }

  #open(response: ServerResponse, step: Step, key: string | string[] | undefined): void {
    const { greeting, knowsKeys = false } = this.#options;
    const history = greeting === undefined ? [] : [{ role: 'assistant', content: greeting }];
    const known = knowsKeys ? this.#openings.get(String(key)) : undefined;
    const opened = known ?? { uuid: crypto.randomUUID(), history: [...history], answers: new Map() };
    if (key !== undefined) this.#openings.set(String(key), opened);
    this.#conversations.set(opened.uuid, opened);
    sendJson(response, step, { status: true, conversation_id: opened.uuid, history });
  }

  async #send(
    { history, answers }: Stored,
    request: IncomingMessage,
    response: ServerResponse,
    step: Step,
    message: string,
  ): Promise<void> {
    const { knowsKeys = false, streams = false } = this.#options;
    const key = knowsKeys ? request.headers['idempotency-key'] : undefined;
    const store = async (): Promise<boolean> => {
      const line = { role: 'user', content: message };
      history.push(line);
      await step.thinking;
      if (step.loses !== true) history.push({ role: 'assistant', content: answerTo(message) });
      else {
        history.splice(history.indexOf(line), 1);
        if (key !== undefined) answers.delete(String(key));
      }
      return step.loses !== true;
    };
    const answering = (key === undefined ? undefined : answers.get(String(key))) ?? store();
    if (key !== undefined) answers.set(String(key), answering);
    if (streams && request.headers.accept?.includes('text/event-stream')) {
      await sendEvents(response, step, answerTo(message), answering);
      return;
    }
    const answer = { status: true, message: answerTo(message), function_calls: [] };
    // Breaks the connection at once; the service still completes the answer.
    if (step.cut !== undefined) sendJson(response, step, answer);
    const isAnswered = await answering;
    if (step.cut !== undefined) return;
    if (isAnswered) sendJson(response, step, answer);
    else answerWith(response, { status: 400, body: engineFailed });
  }
}

function route({ method, url = '' }: IncomingMessage): { operation: Operation; uuid: string } {
  const [, uuid = '', rest = ''] = /\/api\/conversations\/([^/?]+)(\/\w+)?(\?|$)/.exec(url) ?? [];
  if (uuid !== '' && rest === '/messages' && method === 'POST') return { operation: 'send', uuid };
  if (uuid !== '' && rest === '/stop' && method === 'POST') return { operation: 'stop', uuid };
  if (uuid !== '' && rest === '' && method === 'DELETE') return { operation: 'delete', uuid };
  if (uuid !== '' && rest === '' && method === 'GET') return { operation: 'read', uuid };
  if (url.endsWith('/api/conversations') && method === 'POST') return { operation: 'open', uuid };
  if (/\/api\/assistants\/[^/]+\/widget$/.test(url)) return { operation: 'widget', uuid };
  return { operation: 'other', uuid };
}

/** Returns undefined if the client disconnects before the end of the body. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
}

function answerWith(response: ServerResponse, { status = 200, headers = {}, body }: CannedAnswer): void {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}

function sendJson(response: ServerResponse, { cut }: Step, body: object): void {
  const json = Buffer.from(JSON.stringify(body));
  if (cut === undefined) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(json);
  } else if (cut === 'half') {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': json.length });
    response.write(json.subarray(0, json.length / 2), () => response.destroy());
  } else {
    response.destroy();
  }
}

async function sendEvents(
  response: ServerResponse,
  { cut, begins = 1 }: Step,
  answer: string,
  answering: Promise<boolean>,
): Promise<void> {
  if (cut === 'unanswered') {
    response.destroy();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
  const events = eventsOf(answer);
  const cutAfter = cut === 'half' ? 2 : cut;
  if (cutAfter !== undefined) {
    // Sends only the first events; the service still completes the answer.
    const sent =
      events.slice(0, Number(cutAfter)).join('') + (cut === 'half' ? 'event: delta\ndata: {"te' : '');
    response.write(sent === '' ? ': nothing yet\n\n' : sent, () => response.destroy());
    return;
  }
  for (const event of events.slice(0, begins)) response.write(event);
  if (await answering) response.end(events.slice(begins).join(''));
  else response.end(`event: error\ndata: ${JSON.stringify(engineFailed)}\n\n`);
}

/** A promise and a function that resolves it. */
export function gate(): { readonly opened: Promise<unknown>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    opened: promise,
    open: () => {
      resolve(undefined);
    },
  };
}
