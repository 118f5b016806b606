import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeSessionCreateRequest,
} from '../../../src/service/realtime/realtime-session.ts';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { TurnDetector } from '../../../src/service/voice/turn-detector.ts';

const rate = 24_000;

/** The names of its voices; sessions with others are refused. */
const realtimeVoices: readonly string[] = ['cedar', 'marin'];

/** The model's reaction to a request for an answer. */
export type RealtimeAnswer =
  | { text: string }
  /**
   * Speaks the text, if any, and calls the function.
   *
   * @param times how many times, once by default.
   * @param until before that, it can still be canceled.
   */
  | {
      text?: string;
      call: { name: string; arguments: Record<string, unknown> };
      times?: number;
      until?: Promise<unknown>;
    }
  | { fails: true }
  /** The request is refused, so that there is no response. */
  | { refused: true };

/** The model's input when an answer is requested. */
export interface RealtimeQuestion {
  /** Instructions of the response, or of the session. */
  instructions: string;
  items: ConversationItem[];
}

/**
 * A fake realtime model with OpenAI's protocol. It detects speech by its volume, and transcribes each utterance
 * as the next of `words`. It answers with a tone of 0.2 seconds per word, sent at once, as real models do.
 */
export class RealtimeEndpoint {
  /** The customer's words, one entry for each utterance; undefined if it is not understood. */
  readonly words: (string | undefined)[] = [];
  /** Delays transcripts until it settles. */
  transcribing: Promise<unknown> | undefined;
  /** Delays answers until it settles. */
  speaking: Promise<unknown> | undefined;
  /** Whether the end of each turn is reported. */
  reportsPauses = true;
  /** Whether transcripts come with what they used. */
  reportsTranscriptionUsage = true;
  /** Speaks the requested text, or else repeats the customer's last words. */
  answer: (question: RealtimeQuestion) => RealtimeAnswer = repeat;
  /** Settings of the latest session. */
  settings: RealtimeSessionCreateRequest | undefined;
  /** Seconds of audio that the service has sent. */
  audioSeconds = 0;
  /** All events of the service except audio. */
  readonly received: RealtimeClientEvent[] = [];
  /** Number of responses that were sent. */
  responses = 0;
  /** Requests without this key are refused. */
  readonly key = 'realtime-key';
  readonly #server = createServer();
  readonly #sockets: WebSocketServer;
  readonly #cut = new Set<WebSocket>();
  readonly #events = new EventEmitter();

  private constructor() {
    this.#sockets = new WebSocketServer({ noServer: true });
    this.#server.on('upgrade', (request, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const isAllowed = request.headers.authorization === `Bearer ${this.key}`;
      if (pathname !== '/v1/realtime' || !searchParams.has('model') || !isAllowed) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (connection) => {
        this.#cut.add(connection);
        new Session(this, connection).open();
      });
    });
  }

  static async open(): Promise<RealtimeEndpoint> {
    const endpoint = new RealtimeEndpoint();
    endpoint.#server.listen(0, '127.0.0.1');
    await once(endpoint.#server, 'listening');
    return endpoint;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Resolves when the service has sent a matching event. */
  async until(matches: (event: RealtimeClientEvent) => boolean): Promise<void> {
    while (!this.received.some(matches)) await once(this.#events, 'received');
  }

  /** Records an event of the service. */
  note(event: RealtimeClientEvent): void {
    this.received.push(event);
    this.#events.emit('received');
  }

  /** Reports an error that concerns no request. */
  report(message: string): void {
    const error = { type: 'server_error', code: null, message, event_id: null };
    this.send(JSON.stringify({ type: 'error', event_id: 'any', error }));
  }

  /** Sends a message, valid or not, on all connections. */
  send(text: string): void {
    for (const socket of this.#cut) socket.send(text);
  }

  /** Stops reading from all connections, without closing them, as if the host were gone. */
  freeze(): void {
    for (const socket of this.#cut) socket.pause();
  }

  /** Closes all connections abruptly. */
  drop(): void {
    for (const socket of this.#cut) socket.terminate();
    this.#cut.clear();
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function repeat({ instructions, items }: RealtimeQuestion): RealtimeAnswer {
  const recited = /word for word, and nothing else:\n\n(.*)$/s.exec(instructions)?.[1];
  if (recited !== undefined) return { text: recited };
  const last = items.findLast((item) => item.type === 'message' && item.role === 'user');
  const content = last?.type === 'message' ? last.content[0] : undefined;
  const words = content && 'text' in content ? content.text : undefined;
  const transcript = content && 'transcript' in content ? content.transcript : undefined;
  return { text: `You said: ${words ?? transcript ?? 'nothing'}` };
}

type ResponseRequest = Extract<RealtimeClientEvent, { type: 'response.create' }>;

/** One connection. Refuses what the protocol refuses. */
class Session {
  readonly #endpoint: RealtimeEndpoint;
  readonly #socket: WebSocket;
  readonly #items: ConversationItem[] = [];
  #turns: TurnDetector | undefined;
  #heard = 0;
  #speechSince: number | undefined;
  #count = 0;
  #utterances = 0;
  /** The response that is being sent. */
  #response: { id: string; isCanceled: boolean } | undefined;

  constructor(endpoint: RealtimeEndpoint, socket: WebSocket) {
    this.#endpoint = endpoint;
    this.#socket = socket;
  }

  open(): void {
    this.#socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as RealtimeClientEvent;
      if (event.type !== 'input_audio_buffer.append') this.#endpoint.note(event);
      this.#take(event);
    });
    this.#send({ type: 'session.created', session: { type: 'realtime' } });
  }

  #take(event: RealtimeClientEvent): void {
    switch (event.type) {
      case 'session.update': {
        const session = event.session as RealtimeSessionCreateRequest;
        const input = session.audio?.input;
        if (input?.format?.type !== 'audio/pcm' || input.format.rate !== rate) {
          this.#fail('invalid_value', 'The format of the sound is not supported.');
          return;
        }
        const voice = session.audio?.output?.voice;
        if (voice !== undefined && !(realtimeVoices as unknown[]).includes(voice)) {
          this.#fail('invalid_value', 'There is no such voice.');
          return;
        }
        this.#endpoint.settings = session;
        this.#turns = new TurnDetector(rate, { pause: 0.5, shortest: 0.12 });
        this.#send({ type: 'session.updated', session });
        return;
      }
      case 'input_audio_buffer.append':
        this.#hear(event.audio);
        return;
      case 'input_audio_buffer.commit':
        // The buffer is emptied when speech ends.
        if (this.#speechSince === undefined)
          this.#fail('input_audio_buffer_commit_empty', 'The buffer is empty.', event.event_id);
        else this.#commit();
        this.#turns?.end();
        return;
      case 'conversation.item.create':
        this.#insert(event);
        return;
      case 'conversation.item.delete':
        this.#items.splice(0, this.#items.length, ...this.#items.filter(({ id }) => id !== event.item_id));
        return;
      case 'conversation.item.truncate':
        this.#send({ type: 'conversation.item.truncated', item_id: event.item_id });
        return;
      case 'response.create':
        if (this.#response)
          this.#fail(
            'conversation_already_has_active_response',
            'A response is in progress.',
            event.event_id,
          );
        else void this.#respond(event);
        return;
      case 'response.cancel':
        if (this.#response) this.#response.isCanceled = true;
        else this.#fail('response_cancel_not_active', 'There is no response.', event.event_id);
        return;
      default:
        this.#fail('invalid_value', `Unknown event ${event.type}.`);
    }
  }

  #insert({
    item,
    previous_item_id: previous,
  }: Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>) {
    const index = this.#items.findIndex(({ id }) => id === previous);
    if (previous !== undefined && index < 0) {
      this.#fail('item_not_found', 'There is no such item.');
      return;
    }
    this.#items.splice(previous === undefined ? this.#items.length : index + 1, 0, item);
    this.#send({ type: 'conversation.item.added', item });
  }

  #hear(audio: string): void {
    const bytes = Buffer.from(audio, 'base64');
    const samples = Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2));
    this.#heard += samples.length;
    this.#endpoint.audioSeconds += samples.length / rate;
    const event = this.#turns?.detect(samples);
    const now = Math.round((this.#heard / rate) * 1000);
    if (event && this.#speechSince === undefined) {
      this.#speechSince = now;
      this.#utterances += 1;
      this.#send({
        type: 'input_audio_buffer.speech_started',
        item_id: `said_${this.#utterances}`,
        audio_start_ms: now,
      });
    }
    if (event?.type !== 'ended' || this.#speechSince === undefined) return;
    const { seconds } = event.utterance();
    if (this.#endpoint.reportsPauses)
      this.#send({
        type: 'input_audio_buffer.speech_stopped',
        item_id: `said_${this.#utterances}`,
        audio_end_ms: this.#speechSince + Math.round(seconds * 1000),
      });
    this.#commit();
  }

  #commit(): void {
    const item_id = `said_${this.#utterances}`;
    this.#speechSince = undefined;
    const words = this.#endpoint.words.shift();
    this.#items.push({
      id: item_id,
      type: 'message',
      role: 'user',
      content: [{ type: 'input_audio', transcript: words ?? 'mumbling' }],
    });
    this.#send({ type: 'input_audio_buffer.committed', item_id });
    if (this.#endpoint.transcribing)
      void this.#endpoint.transcribing.then(() => {
        this.#sendTranscript(item_id, words);
      });
    else this.#sendTranscript(item_id, words);
  }

  #sendTranscript(item_id: string, words: string | undefined): void {
    const transcription = 'conversation.item.input_audio_transcription';
    if (words === undefined) this.#send({ type: `${transcription}.failed`, item_id, error: {} });
    else {
      const usage = this.#endpoint.reportsTranscriptionUsage && {
        usage: { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 },
      };
      this.#send({ type: `${transcription}.completed`, item_id, transcript: words, ...usage });
    }
  }

  async #respond({ event_id, response: given }: ResponseRequest): Promise<void> {
    const isWithoutTools = given?.tool_choice === 'none';
    const answer = this.#endpoint.answer({
      instructions: given?.instructions ?? this.#endpoint.settings?.instructions ?? '',
      items: this.#items,
    });
    if ('refused' in answer) {
      this.#fail('invalid_value', 'The request is refused.', event_id);
      return;
    }
    const id = `response_${++this.#count}`;
    const response = { id, isCanceled: false };
    this.#response = response;
    this.#send({ type: 'response.created', response: { id } });
    await this.#endpoint.speaking;
    const output: unknown[] = [];
    if ('text' in answer) {
      await this.#speak(answer.text, response);
      output.push({ id: `item_${id}`, type: 'message' });
    }
    if ('call' in answer && !isWithoutTools) {
      await answer.until;
      const { name, arguments: sent } = answer.call;
      for (let index = 0; index < (answer.times ?? 1); index++) {
        const call_id = `call_${id}_${index}`;
        const call = {
          id: `item_${call_id}`,
          type: 'function_call',
          call_id,
          name,
          arguments: JSON.stringify(sent),
        };
        output.push(call);
        this.#items.push(call as ConversationItem);
      }
    }
    this.#response = undefined;
    const status = 'fails' in answer ? 'failed' : response.isCanceled ? 'cancelled' : 'completed';
    const usage = { input_tokens: 200, output_tokens: 30, total_tokens: 230 };
    this.#send({ type: 'response.done', response: { id, status, output, usage } });
    this.#endpoint.responses += 1;
  }

  async #speak(text: string, response: { id: string; isCanceled: boolean }): Promise<void> {
    const item_id = `item_${response.id}`;
    const writes = this.#endpoint.settings?.output_modalities?.[0] === 'text';
    this.#items.push({
      ...{ id: item_id, type: 'message', role: 'assistant' },
      content: [writes ? { type: 'output_text', text } : { type: 'output_audio', transcript: text }],
    });
    for (const delta of text.match(/\S+\s*/g) ?? []) {
      // Others may cancel in between.
      await new Promise(setImmediate);
      if (response.isCanceled) return;
      const at = { response_id: response.id, item_id };
      if (writes) {
        this.#send({ type: 'response.output_text.delta', delta, ...at });
        continue;
      }
      this.#send({ type: 'response.output_audio_transcript.delta', delta, ...at });
      this.#send({ type: 'response.output_audio.delta', delta: tone(0.2), ...at });
    }
  }

  /** @param event_id id of the service's event that caused the error */
  #fail(code: string, message: string, event_id?: string): void {
    this.#send({
      type: 'error',
      error: { type: 'invalid_request_error', code, message, event_id: event_id ?? null },
    });
  }

  #send(event: Record<string, unknown>): void {
    this.#socket.send(JSON.stringify({ event_id: `event_${++this.#count}`, ...event }));
  }
}

function tone(seconds: number): string {
  const samples = Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(6000 * Math.sin((2 * Math.PI * 300 * index) / rate)),
  );
  return Buffer.from(samples.buffer).toString('base64');
}
