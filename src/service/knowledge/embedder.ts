import OpenAI from 'openai';
import type { Logger } from 'pino';
import { withTimeout } from '../lib/with-timeout.ts';

/** An endpoint that speaks OpenAI's embeddings protocol. */
export interface EmbeddingConfig {
  /** Undefined for OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

/** Local servers need no key, but the library requires one. */
const noKey = 'none';

/** Most texts per request; many servers accept fewer. */
const maxBatch = 64;

/** How servers refuse a request with too many texts, or with one that is too long for the model. */
const refusals: readonly unknown[] = [400, 413, 422];

/** llama.cpp and Ollama refuse a text that is too long with the status of an outage. */
const isRefusal = (error: unknown) =>
  error instanceof OpenAI.APIError &&
  (refusals.includes(error.status) ||
    (error.status === 500 && /too (large|long)|exceeds/i.test(error.message)));

/** A text that an endpoint embeds unless it embeds no text. */
const harmlessText = 'Hello';

/** Longest text that is embedded, in UTF-16 code units; models accept about 8,000 tokens. */
const textLimit = 6000;

/** Longest wait for the vector of a question, in milliseconds: a visitor waits for the answer. */
const questionTimeoutMs = 3000;

/**
 * Texts could not be embedded. The endpoint's message and the cause are left out: they may quote the key or the texts,
 * and this error is logged.
 */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  /** @param reason a description of the response, or the error of the request. */
  constructor(reason: unknown) {
    super(
      `The embedding endpoint returned ${typeof reason === 'string' ? reason : `no embeddings: ${describeError(reason)}`}.`,
    );
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const status = 'status' in error && typeof error.status === 'number' ? `, status ${error.status}` : '';
  return `${error.constructor.name}${status}`;
}

/** Converts texts to vectors with an OpenAI-compatible endpoint. */
export class Embedder {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  readonly #client: OpenAI;
  readonly #log: Logger;
  /** Texts per request: fewer once the server has refused a request that it accepted in parts. */
  #batch = maxBatch;

  constructor({ baseUrl, apiKey, model }: EmbeddingConfig, log: Logger) {
    this.model = model;
    this.#log = log;
    // The library would log the texts.
    this.#client = new OpenAI({
      apiKey: apiKey ?? noKey,
      baseURL: baseUrl ?? null,
      maxRetries: 1,
      logLevel: 'off',
    });
  }

  /**
   * Returns a vector of unit length for each text; undefined for a text that the endpoint refuses, or whose vector is
   * zero, although it embeds others.
   *
   * @throws EmbeddingError, also if the endpoint embeds no text; or the signal's reason.
   */
  async embed(texts: string[], options: { signal?: AbortSignal } = {}): Promise<(number[] | undefined)[]> {
    const vectors: (number[] | undefined)[] = [];
    let refusal: EmbeddingError | undefined;
    while (vectors.length < texts.length) {
      const input = texts.slice(vectors.length, vectors.length + this.#batch);
      const refuse = async (reason: unknown) => {
        refusal ??= await this.#refusalOfText(reason, options);
      };
      vectors.push(...(await this.#embedInParts(input, options, refuse)));
    }
    if (refusal === undefined) return vectors;
    const refused = vectors.filter((vector) => vector === undefined).length;
    this.#log.warn({ err: refusal, texts: refused }, 'texts were refused; only full text search is used');
    return vectors;
  }

  /** @throws EmbeddingError if the endpoint embeds no text: sending each of them alone would take many requests. */
  async #refusalOfText(reason: unknown, options: { signal?: AbortSignal }): Promise<EmbeddingError> {
    const refusal = new EmbeddingError(reason);
    const [vector] = await this.#request([harmlessText], options).catch(() => []);
    options.signal?.throwIfAborted();
    if (!vector) throw refusal;
    return refusal;
  }

  /** Sends texts in one request, and in two halves if that is refused. */
  async #embedInParts(
    input: string[],
    options: { signal?: AbortSignal },
    onRefusal: (reason: unknown) => Promise<void>,
  ): Promise<(number[] | undefined)[]> {
    try {
      const vectors = await this.#request(input, options);
      if (vectors.includes(undefined)) await onRefusal('an embedding of length zero');
      return vectors;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof EmbeddingError) throw error;
      if (!isRefusal(error)) throw new EmbeddingError(error);
      if (input.length === 1) {
        await onRefusal(error);
        return [undefined];
      }
    }
    const half = Math.ceil(input.length / 2);
    const vectors = [
      ...(await this.#embedInParts(input.slice(0, half), options, onRefusal)),
      ...(await this.#embedInParts(input.slice(half), options, onRefusal)),
    ];
    // If none of the texts is at fault, there were too many.
    if (!vectors.includes(undefined)) this.#batch = Math.min(this.#batch, half);
    return vectors;
  }

  async #request(texts: string[], options: { signal?: AbortSignal }): Promise<(number[] | undefined)[]> {
    const input = texts.map((text) => text.slice(0, textLimit).toWellFormed());
    const { data } = await this.#client.embeddings.create(
      { model: this.model, input, encoding_format: 'float' },
      { timeout: 60_000, ...options },
    );
    if (data.length !== input.length) throw new EmbeddingError('fewer embeddings than texts');
    return data.sort((one, other) => one.index - other.index).map(({ embedding }) => normalize(embedding));
  }

  /** Returns the vector of a question; undefined if the endpoint does not respond in time. */
  async embedQuestion(question: string): Promise<number[] | undefined> {
    try {
      // The retry included.
      return await withTimeout(
        questionTimeoutMs,
        [],
        async (signal) => (await this.embed([question], { signal }))[0],
      );
    } catch (error) {
      this.#log.warn({ err: error }, 'a question could not be embedded; falling back to full text search');
      return undefined;
    }
  }
}

/** Returns the vector of unit length; undefined if its length is zero. */
function normalize(vector: number[]): number[] | undefined {
  const length = Math.hypot(...vector);
  if (!(length > 0)) return undefined;
  return vector.map((value) => value / length);
}
