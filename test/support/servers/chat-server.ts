import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request asks for; `other` is anything that the interface does not know. */
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
  /** Parsed JSON; undefined where there was none. */
  readonly body: unknown;
}

/** What goes wrong with one request. */
export interface Step {
  /**
   * Where the connection breaks: before the request is read, before the first byte of the answer, in the middle of
   * its JSON, or after that many events of a stream. From `unanswered` on, the message is stored and answered.
   */
  readonly cut?: 'unread' | 'unanswered' | 'half' | number;
  /** The request is stuck on its way, and taken in when this resolves. */
  readonly transit?: Promise<unknown>;
  /** The message is taken in, and its answer is written when this resolves. A stream has begun by then. */
  readonly thinking?: Promise<unknown>;
  /** How many events of a stream are written before the service thinks. Default 1. */
  readonly begins?: number;
  /** The service takes the message in, then fails to answer it and says so: the history loses it again. */
  readonly loses?: boolean;
  /** Answers with this instead, and stores nothing. */
  readonly answer?: CannedAnswer;
  /** Takes over the answer altogether; nothing is stored. */
  readonly raw?: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;
}

export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body: unknown;
}

export interface ChatServerOptions {
  /** Answers in events where a request accepts them. */
  readonly streams?: boolean;
  /** Knows `Idempotency-Key`. Services that do not are the harder case, and the default. */
  readonly knowsKeys?: boolean;
  /** What a new conversation begins with. */
  readonly greeting?: string;
}

interface Stored {
  readonly uuid: string;
  readonly history: Line[];
  readonly answers: Map<string, Promise<boolean>>;
}

const engineFailed = { status: false, error: 'Failed to process message: the model is out of order' };

/** The answer that the server gives to a message. */
export const answerTo = (message: string): string => `You said: ${message}. Anything else?`;

/** The events of a streamed answer, in order, each as it goes over the wire. */
export function eventsOf(answer: string): string[] {
  const pieces = answer.match(/\S+\s*/g) ?? [];
  const done = { status: true, message: answer, function_calls: [] };
  return [
    ...pieces.map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`),
    `event: done\ndata: ${JSON.stringify(done)}\n\n`,
  ];
}

/**
 * Another vendor's service of the interface, over real HTTP, with everything in memory. It keeps to the rules unless
 * a test tells it to break one; what it stored shows whether a message was lost or doubled.
 */
export class ChatServer {
  readonly requests: SeenRequest[] = [];
  /** Requests that are being answered. */
  active = 0;
  /** Sees each request once it has come, and may take hold of its answer; gives undefined for one that is lost. */
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

  /** Breaks the next request of that operation that has no step yet. */
  next(operation: Operation, step: Step): void {
    this.#steps.push({ operation, step });
  }

  /** Answers the next request of that operation with this, and stores nothing. */
  answerNext(operation: Operation, body: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.next(operation, { answer: { status, headers, body } });
  }

  /** Steps that no request has met. */
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

  /** A person or another device writes into a conversation. */
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
    const take = async (): Promise<boolean> => {
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
    const answering = (key === undefined ? undefined : answers.get(String(key))) ?? take();
    if (key !== undefined) answers.set(String(key), answering);
    if (streams && request.headers.accept?.includes('text/event-stream')) {
      await sendEvents(response, step, answerTo(message), answering);
      return;
    }
    const answer = { status: true, message: answerTo(message), function_calls: [] };
    // Whoever waits is cut off at once; the service goes on.
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

/** undefined if the client went away while it was sending. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  try {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  } catch {
    return undefined;
  }
}

function answerWith(response: ServerResponse, { status = 200, headers = {}, body }: CannedAnswer): void {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(isPlain ? body : JSON.stringify(body));
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
    // Whoever listens hears the beginning; the service goes on.
    const heard =
      events.slice(0, Number(cutAfter)).join('') + (cut === 'half' ? 'event: delta\ndata: {"te' : '');
    response.write(heard === '' ? ': nothing yet\n\n' : heard, () => response.destroy());
    return;
  }
  for (const event of events.slice(0, begins)) response.write(event);
  if (await answering) response.end(events.slice(begins).join(''));
  else response.end(`event: error\ndata: ${JSON.stringify(engineFailed)}\n\n`);
}

/** A promise and what resolves it. */
export function gate(): { readonly opened: Promise<unknown>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    opened: promise,
    open: () => {
      resolve(undefined);
    },
  };
}
