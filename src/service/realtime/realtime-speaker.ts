import type { Logger } from 'pino';
import type { TurnReason, ReplyPart, Speaker, SpeakerOptions } from '../voice/line.ts';
import type { CallMessage } from '../db/calls-table.ts';
import { EngineError } from '../engine/engine.ts';
import { callRounds } from '../engine/openai/openai-engine.ts';
import { earlierCalls } from '../engine/openai/build-prompt.ts';
import { callLimit, runToolCalls } from '../engine/openai/run-tool-calls.ts';
import { unknownWords } from '../voice/words.ts';
import { readTranscriptionUsage } from '../voice/transcription-usage.ts';
import { CustomerTurns, secondsOf, transcriptMs } from './customer-turns.ts';
import type { CustomerSpeechListener } from './customer-turns.ts';
import type { RealtimeEvent, RealtimeResponse, RealtimeUsage } from './realtime-events.ts';
import { RealtimeReply } from './realtime-reply.ts';
import { realtimeRate } from './realtime-session.ts';
import type { RealtimeSession } from './realtime-session.ts';

export interface RealtimeSpeakerDependencies {
  session: RealtimeSession;
  /** The model's name at the provider. */
  model: string;
  /** The name of the model that transcribes the customer. */
  transcriptionModel: string;
  options: SpeakerOptions;
  listener: CustomerSpeechListener;
  log: Logger;
}

/** The response ended just before it was canceled, or the customer's turn just before it was committed. */
const harmlessErrors: ReadonlySet<unknown> = new Set([
  'response_cancel_not_active',
  'input_audio_buffer_commit_empty',
]);

/** A realtime model that listens to the customer and replies by voice. */
export class RealtimeSpeaker implements Speaker {
  readonly #dependencies: RealtimeSpeakerDependencies;
  readonly #turns: CustomerTurns;
  #unplayedReply: RealtimeReply | undefined;
  /** The reply whose response is in progress. */
  #current:
    { requestId: string; reply: RealtimeReply; done: PromiseWithResolvers<RealtimeResponse> } | undefined;
  #requests = 0;
  /** A session generates one response at a time. */
  #queue = Promise.resolve();
  #isClosed = false;
  /** Samples of the customer's audio that were sent to the model. */
  #sentSamples = 0;

  constructor(dependencies: RealtimeSpeakerDependencies) {
    this.#dependencies = dependencies;
    this.#turns = new CustomerTurns(
      dependencies.listener,
      () => this.#sentMs,
      ({ itemId, reply }) => {
        if (reply) this.#drop(reply);
        // The model is not to answer it later.
        this.#delete(itemId);
      },
    );
    dependencies.session.listen((event) => {
      this.#receive(event);
    });
    for (const [entry, { role, content, functionCalls = [] }] of dependencies.options.history.entries()) {
      this.#writeCalls(functionCalls, entry);
      if (content.trim() !== '') this.#write(content, role);
    }
    void dependencies.session.closed.then(() => {
      this.#isClosed = true;
      this.#turns.stopWaiting();
      this.#current?.done.reject(new EngineError('The connection to the voice model was lost.'));
      for (const reply of this.#turns.replies) reply.stop();
      dependencies.listener.onClosed();
    });
  }

  /** Whether the customer speaks, or has said something whose transcript is not known yet. */
  get isListening(): boolean {
    return this.#turns.isUnsettled;
  }

  /** Milliseconds of the customer's audio, the time of the model's events. */
  get #sentMs(): number {
    return (this.#sentSamples / realtimeRate) * 1000;
  }

  /** Sends the customer's audio to the model. */
  appendAudio(samples: Int16Array): void {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    this.#dependencies.session.send({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') });
    this.#sentSamples += samples.length;
    this.#turns.report();
  }

  /**
   * Ends the customer's turn, since no more audio will follow. Resolves when the model has transcribed all of it;
   * undefined if there is nothing to wait for.
   */
  finishTurns(): Promise<undefined> | undefined {
    if (this.#isClosed || !this.isListening) return undefined;
    const turn = this.#turns.inProgress;
    if (turn) {
      // Without audio, the model detects no pause.
      this.#dependencies.session.send({ type: 'input_audio_buffer.commit' });
      this.#turns.end(turn);
    }
    return this.#turns.untilSettled();
  }

  async *answer(said: string, _: readonly CallMessage[], signal: AbortSignal): AsyncGenerator<ReplyPart> {
    const turn = this.#turns.saidAs(said);
    if (turn) this.#dropAll(this.#turns.removeUntil(turn));
    // Replies of later turns would come first. They are requested again when their own words are answered.
    if (turn?.reply === undefined) this.#dropAll(this.#turns.replies);
    if (turn === undefined) this.#write(said);
    yield* this.#streamReply(turn?.reply ?? this.#request(), signal);
  }

  async *startTurn(
    reason: TurnReason,
    _: readonly CallMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyPart> {
    const { instructions, turnInstructions } = this.#dependencies.options;
    this.#dropAll(this.#turns.removeAll());
    yield* this.#streamReply(
      this.#request({ instructions: `${instructions}\n\n${turnInstructions[reason]}` }),
      signal,
    );
  }

  /** Makes the model speak a text verbatim. */
  sayVerbatim(text: string): RealtimeReply {
    this.#dropAll(this.#turns.removeAll());
    const instructions = `Say exactly the following text, word for word, and nothing else:\n\n${text}`;
    return this.#request({ instructions, tool_choice: 'none' });
  }

  /** Adds a text that another voice spoke for the model to its conversation. */
  addAssistantMessage(text: string): void {
    this.#write(text, 'assistant');
  }

  /** Returns the reply that is being read, once, for its audio. */
  takeReply(): RealtimeReply | undefined {
    const reply = this.#unplayedReply;
    this.#unplayedReply = undefined;
    return reply;
  }

  /** Stops a spoken reply, and leaves only the heard part in the model's conversation. */
  stopSpeech(reply: RealtimeReply, seconds: number): void {
    this.#stop(reply);
    let rest = Math.round(seconds * realtimeRate);
    for (const { id, samples } of reply.items) {
      const heard = Math.min(rest, samples);
      rest -= heard;
      if (heard === 0) this.#delete(id);
      else if (heard < samples)
        this.#dependencies.session.send({
          type: 'conversation.item.truncate',
          item_id: id,
          content_index: 0,
          audio_end_ms: Math.round((heard / realtimeRate) * 1000),
        });
    }
  }

  /** Stops a reply that another voice speaks, and replaces it in the model's conversation with the heard part. */
  stopText(reply: RealtimeReply, heard: string): void {
    this.#stop(reply);
    let rest = heard;
    for (const { id, text } of reply.items) {
      const part = rest.slice(0, text.length);
      rest = rest.slice(text.length);
      if (part === text) continue;
      // A text cannot be truncated, only audio.
      if (part.trim() !== '') this.#write(part, 'assistant', id);
      this.#delete(id);
    }
  }

  #stop(reply: RealtimeReply): void {
    if (this.#unplayedReply === reply) this.#unplayedReply = undefined;
    if (reply.isStopped) return;
    if (this.#current?.reply === reply) this.#dependencies.session.send({ type: 'response.cancel' });
    reply.stop();
  }

  /** Stops a reply that has not been spoken, and removes it from the model's conversation. */
  #drop(reply: RealtimeReply): void {
    this.#stop(reply);
    this.#turns.forgetReply(reply);
    for (const { id } of reply.items) this.#delete(id);
  }

  #dropAll(replies: readonly RealtimeReply[]): void {
    for (const reply of replies) this.#drop(reply);
  }

  close(): void {
    this.#dependencies.session.close();
  }

  async *#streamReply(reply: RealtimeReply, signal: AbortSignal): AsyncGenerator<ReplyPart> {
    this.#unplayedReply = reply;
    reply.accept();
    const stop = () => {
      if (this.#unplayedReply === reply) this.#drop(reply);
      else this.#stop(reply);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* reply.parts;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Removes an item from the model's conversation. */
  #delete(itemId: string): void {
    this.#dependencies.session.send({ type: 'conversation.item.delete', item_id: itemId });
  }

  /** Adds a text message to the model's conversation, at its end or after another item. */
  #write(text: string, role: 'user' | 'assistant' = 'user', previousId?: string): void {
    const item =
      role === 'user'
        ? ({ type: 'message', role, content: [{ type: 'input_text', text }] } as const)
        : ({ type: 'message', role, content: [{ type: 'output_text', text }] } as const);
    this.#dependencies.session.send({
      type: 'conversation.item.create',
      item: { ...item, content: [...item.content] } as never,
      ...(previousId !== undefined && { previous_item_id: previousId }),
    });
  }

  /** Adds the functions that ran for an earlier answer to the model's conversation, with their results. */
  #writeCalls(calls: NonNullable<CallMessage['functionCalls']>, entry: number): void {
    const { session, options } = this.#dependencies;
    // Some servers refuse items about functions if the session offers none.
    if (options.tools.length === 0) return;
    for (const { id, name, arguments: given, output } of earlierCalls(calls, entry)) {
      session.send({
        type: 'conversation.item.create',
        item: { type: 'function_call', call_id: id, name, arguments: given },
      });
      session.send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: id, output },
      });
    }
  }

  #request(response?: { instructions?: string; tool_choice?: 'none' }): RealtimeReply {
    const reply = new RealtimeReply();
    this.#queue = this.#queue.then(async () => {
      const usages: RealtimeUsage[] = [];
      try {
        await this.#complete(reply, response, usages);
        reply.end();
      } catch (error) {
        reply.fail(error instanceof Error ? error : new Error('The reply failed.', { cause: error }));
      } finally {
        this.#record(usages);
      }
    });
    return reply;
  }

  /** Requests responses until the model calls no more functions. */
  async #complete(
    reply: RealtimeReply,
    first: { instructions?: string; tool_choice?: 'none' } | undefined,
    usages: RealtimeUsage[],
  ): Promise<void> {
    const { session, options } = this.#dependencies;
    const { tools, replyMs } = options;
    let response = first;
    let callCount = 0;
    let last = callRounds;
    for (let round = 0; round <= last && !reply.isStopped; round++) {
      const done = await this.#respond(reply, response);
      if (done.usage) usages.push(done.usage);
      if (done.status === 'failed') throw new EngineError('The voice model could not answer.');
      const calls = functionCalls(done);
      if (calls.length > 0) await this.#untilDecided(reply);
      if (isCanceled(done, reply)) {
        this.#deleteUnheard(reply, done);
        return;
      }
      response = undefined;
      reply.startTools();
      const signal = AbortSignal.timeout(replyMs);
      const outcomes = runToolCalls(calls, { tools, pageTools: [] }, callLimit - callCount, signal);
      for await (const { id, event, message, ends } of outcomes) {
        if (event) {
          callCount++;
          const { type, ...call } = event;
          reply.addCall({ type, call });
        }
        session.send({
          type: 'conversation.item.create',
          item: { type: 'function_call_output', call_id: id, output: message },
        });
        // The model may still say goodbye.
        if (ends) last = reply.transcript === '' ? round + 1 : round;
      }
      reply.endTools();
      if (calls.length === 0) return;
      if (round + 1 === last) response = { tool_choice: 'none' };
    }
  }

  /** Waits until a reply is accepted or stopped. Drops it if it is not accepted in time, so that others can follow. */
  async #untilDecided(reply: RealtimeReply): Promise<void> {
    const timer = setTimeout(() => {
      this.#drop(reply);
    }, transcriptMs);
    await reply.decided;
    clearTimeout(timer);
  }

  /** Removes function calls that did not run, and messages that began after the reply was stopped. */
  #deleteUnheard(reply: RealtimeReply, { output }: RealtimeResponse): void {
    const heard = new Set(reply.items.map(({ id }) => id));
    for (const { id } of output ?? []) if (typeof id === 'string' && !heard.has(id)) this.#delete(id);
  }

  #record(usages: readonly RealtimeUsage[]): void {
    if (usages.length === 0) return;
    const { options, model } = this.#dependencies;
    const sum = (key: 'input_tokens' | 'output_tokens') =>
      usages.reduce((total, usage) => total + (usage[key] ?? 0), 0);
    // Audio tokens cost more than text tokens, so the model's text price does not apply.
    options.recordUsage({
      model,
      purpose: 'reply',
      cost: undefined,
      inputTokens: sum('input_tokens'),
      outputTokens: sum('output_tokens'),
    });
  }

  async #respond(
    reply: RealtimeReply,
    response?: { instructions?: string; tool_choice?: 'none' },
  ): Promise<RealtimeResponse> {
    if (this.#isClosed) throw new EngineError('The connection to the voice model was lost.');
    const done = Promise.withResolvers<RealtimeResponse>();
    const requestId = `request_${++this.#requests}`;
    this.#current = { requestId, reply, done };
    const timer = setTimeout(() => {
      done.reject(new EngineError('The voice model did not answer in time.'));
    }, this.#dependencies.options.replyMs);
    try {
      this.#dependencies.session.send({
        type: 'response.create',
        event_id: requestId,
        ...(response && { response }),
      });
      return await done.promise;
    } finally {
      clearTimeout(timer);
      this.#current = undefined;
    }
  }

  #receive(event: RealtimeEvent): void {
    const { listener, log } = this.#dependencies;
    const reply = this.#current?.reply;
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#turns.start(event.item_id, event.audio_start_ms);
        break;
      case 'input_audio_buffer.speech_stopped': {
        const turn = this.#turns.find(event.item_id);
        if (turn) this.#turns.end(turn, event.audio_end_ms);
        break;
      }
      case 'input_audio_buffer.committed': {
        const turn = this.#turns.find(event.item_id);
        if (!turn) break;
        this.#turns.end(turn);
        if (listener.canAnswerNow()) turn.reply = this.#request();
        break;
      }
      case 'conversation.item.input_audio_transcription.completed':
        this.#recordTranscription(event.item_id, event.usage);
        this.#receiveTranscript(event.item_id, event.transcript.trim());
        break;
      case 'conversation.item.input_audio_transcription.failed':
        this.#receiveTranscript(event.item_id, unknownWords);
        break;
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        reply?.addText(event.item_id, event.delta);
        break;
      case 'response.output_audio.delta':
        reply?.addAudio(event.item_id, decode(event.delta));
        break;
      case 'response.done':
        reply?.endResponse();
        this.#current?.done.resolve(event.response);
        break;
      case 'error':
        if (harmlessErrors.has(event.error.code)) break;
        log.warn({ reason: event.error.message }, 'the realtime model reported an error');
        // Other errors do not end the response.
        if (event.error.event_id === this.#current?.requestId)
          this.#current?.done.reject(new EngineError('The voice model could not answer.'));
        break;
      default:
    }
  }

  #recordTranscription(itemId: string, reported: unknown): void {
    const { options, transcriptionModel } = this.#dependencies;
    const turn = this.#turns.find(itemId);
    const usage = readTranscriptionUsage(transcriptionModel, reported, turn ? secondsOf(turn) : 0);
    options.recordUsage({ ...usage, purpose: 'transcription', cost: undefined });
  }

  #receiveTranscript(itemId: string, text: string): void {
    const turn = this.#turns.find(itemId);
    if (turn) this.#turns.transcribe(turn, text);
  }
}

/** Whether the function calls of a response must not run. A response may be complete just before it is canceled. */
const isCanceled = ({ status }: RealtimeResponse, { isStopped }: RealtimeReply) =>
  status === 'cancelled' || isStopped;

const functionCalls = ({ output }: RealtimeResponse) =>
  (output ?? [])
    .filter(({ type }) => type === 'function_call')
    .map((call) => ({ id: call.call_id ?? '', name: call.name ?? '', arguments: call.arguments ?? '' }));

function decode(base64: string): Int16Array {
  const bytes = Buffer.from(base64, 'base64');
  const samples = new Int16Array(Math.floor(bytes.length / 2));
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}
