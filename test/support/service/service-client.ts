import { createParser } from 'eventsource-parser';
import { checkAnswer } from './check-answer.ts';

/** An answer of the service, read to its end. */
export interface ServiceAnswer {
  status: number;
  headers: Headers;
  /** The body as text, and as JSON if it is some. */
  text: string;
  json: Record<string, unknown>;
}

/** An event of a streamed answer. */
export interface StreamedEvent {
  event: string;
  data: Record<string, unknown>;
  id?: string;
}

/** A moment on the wire: ISO 8601, UTC, with microseconds. */
export const wireTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A history as "role: content" lines. */
export const linesOf = (history: unknown): string[] =>
  (history as { role: string; content: string }[]).map(({ role, content }) => `${role}: ${content}`);

/** Plain requests to a service over HTTP, as any client could make them; answers are held against the contract. */
export class ServiceClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ServiceAnswer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('application/json') === true;
    const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
    const answer = { status: response.status, headers: response.headers, text, json };
    checkAnswer(method, path, answer);
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    return this.request('POST', path, body, headers);
  }

  /** Opens a conversation and returns its UUID; fails if it is refused. */
  async open(assistantUuid: string, more: Record<string, unknown> = {}): Promise<string> {
    const { status, json, text } = await this.post('/api/conversations', {
      assistant_id: assistantUuid,
      ...more,
    });
    if (status !== 200) throw new Error(`The conversation was not opened: ${status} ${text}`);
    return json['conversation_id'] as string;
  }

  /** Sends a message and waits for the JSON answer. */
  send(
    conversation: string,
    message: string,
    headers: Record<string, string> = {},
    along: Record<string, unknown> = {},
  ): Promise<ServiceAnswer> {
    return this.post(`/api/conversations/${conversation}/messages`, { message, ...along }, headers);
  }

  /** The history of a conversation as "role: content" lines. */
  async history(conversation: string): Promise<string[]> {
    const { json } = await this.get(`/api/conversations/${conversation}`);
    return linesOf(json['history']);
  }

  /** Sends a message and asks for an event stream. */
  async stream(
    conversation: string,
    message: string,
    headers: Record<string, string> = {},
    along: Record<string, unknown> = {},
  ): Promise<EventStream> {
    const leave = new AbortController();
    const response = await fetch(`${this.url}/api/conversations/${conversation}/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
      body: JSON.stringify({ message, ...along }),
      signal: leave.signal,
    });
    return new EventStream(response, leave);
  }

  /** Opens the event stream of a conversation. */
  async watch(conversation: string, query = '', headers: Record<string, string> = {}): Promise<EventStream> {
    const leave = new AbortController();
    const response = await fetch(`${this.url}/api/conversations/${conversation}/events${query}`, {
      headers,
      signal: leave.signal,
    });
    return new EventStream(response, leave);
  }
}

/** A streamed answer while it arrives. */
export class EventStream {
  readonly response: Response;
  readonly comments: string[] = [];
  readonly #events: StreamedEvent[] = [];
  readonly #leave: AbortController;
  readonly #chunks: AsyncIterator<string, undefined>;
  readonly #parser;

  constructor(response: Response, leave: AbortController) {
    this.response = response;
    this.#leave = leave;
    const body = response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>();
    this.#chunks = body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]() as AsyncIterator<
      string,
      undefined
    >;
    this.#parser = createParser({
      onEvent: ({ event = 'message', data, id }) => {
        const parsed = JSON.parse(data) as Record<string, unknown>;
        this.#events.push({ event, data: parsed, ...(id !== undefined && { id }) });
      },
      onComment: (comment) => {
        this.comments.push(comment);
      },
    });
  }

  /** Reads on until `enough` is met; fails if the stream ends before. */
  async until(enough: (events: StreamedEvent[], comments: string[]) => boolean): Promise<StreamedEvent[]> {
    while (!enough(this.#events, this.comments)) {
      const { value, done } = await this.#chunks.next();
      if (done === true) throw new Error(`The stream ended too early: ${JSON.stringify(this.#events)}`);
      this.#parser.feed(value);
    }
    return this.#events;
  }

  /** Reads to the end. */
  async all(): Promise<StreamedEvent[]> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return this.#events;
      this.#parser.feed(value);
    }
  }

  /** Closes the connection from the client's side. */
  disconnect(): void {
    this.#leave.abort();
  }
}
