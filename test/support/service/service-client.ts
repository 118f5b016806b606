import { createParser } from 'eventsource-parser';
import { checkAnswer } from './check-answer.ts';

/** A complete response of the service. */
export interface ServiceAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; empty if it is not JSON. */
  json: Record<string, unknown>;
}

/** An event of a streamed answer. */
export interface StreamedEvent {
  event: string;
  data: Record<string, unknown>;
  id?: string;
}

/** A timestamp of the API: ISO 8601, UTC, with microseconds. */
export const wireTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Formats each message of a history as "role: content". */
export const linesOf = (history: unknown): string[] =>
  (history as { role: string; content: string }[]).map(({ role, content }) => `${role}: ${content}`);

/** Plain HTTP requests to a service, as any client could send them. Responses are checked against the contract. */
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

  /** Opens a conversation and returns its UUID; throws if the request is refused. */
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
    more: Record<string, unknown> = {},
  ): Promise<ServiceAnswer> {
    return this.post(`/api/conversations/${conversation}/messages`, { message, ...more }, headers);
  }

  /** Reads the history of a conversation; formats each message as "role: content". */
  async history(conversation: string): Promise<string[]> {
    const { json } = await this.get(`/api/conversations/${conversation}`);
    return linesOf(json['history']);
  }

  /** Sends a message and requests an event stream. */
  async stream(
    conversation: string,
    message: string,
    headers: Record<string, string> = {},
    more: Record<string, unknown> = {},
  ): Promise<EventStream> {
    const abort = new AbortController();
    const response = await fetch(`${this.url}/api/conversations/${conversation}/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
      body: JSON.stringify({ message, ...more }),
      signal: abort.signal,
    });
    return new EventStream(response, abort);
  }

  /** Opens the event stream of a conversation. */
  async watch(conversation: string, query = '', headers: Record<string, string> = {}): Promise<EventStream> {
    const abort = new AbortController();
    const response = await fetch(`${this.url}/api/conversations/${conversation}/events${query}`, {
      headers,
      signal: abort.signal,
    });
    return new EventStream(response, abort);
  }
}

/** An event stream, read on demand. */
export class EventStream {
  readonly response: Response;
  readonly comments: string[] = [];
  readonly #events: StreamedEvent[] = [];
  readonly #abort: AbortController;
  readonly #chunks: AsyncIterator<string, undefined>;
  readonly #parser;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
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

  /** Reads events until `isEnough` returns true; throws if the stream ends first. */
  async until(isEnough: (events: StreamedEvent[], comments: string[]) => boolean): Promise<StreamedEvent[]> {
    while (!isEnough(this.#events, this.comments)) {
      const { value, done } = await this.#chunks.next();
      if (done === true) throw new Error(`The stream ended too early: ${JSON.stringify(this.#events)}`);
      this.#parser.feed(value);
    }
    return this.#events;
  }

  /** Reads all events until the stream ends. */
  async all(): Promise<StreamedEvent[]> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return this.#events;
      this.#parser.feed(value);
    }
  }

  /** Closes the connection. */
  disconnect(): void {
    this.#abort.abort();
  }
}
