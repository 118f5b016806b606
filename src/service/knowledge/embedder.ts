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

/** Texts per request. */
const batch = 64;

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
   * Returns a vector of unit length for each text.
   *
   * @throws EmbeddingError, or the signal's reason.
   */
  async embed(texts: string[], options: { signal?: AbortSignal } = {}): Promise<number[][]> {
    const vectors: number[][] = [];
    for (let start = 0; start < texts.length; start += batch) {
      const input = texts.slice(start, start + batch).map((text) => text.slice(0, textLimit).toWellFormed());
      const { data } = await this.#client.embeddings
        .create({ model: this.model, input, encoding_format: 'float' }, { timeout: 60_000, ...options })
        .catch((error: unknown) => {
          options.signal?.throwIfAborted();
          throw new EmbeddingError(error);
        });
      if (data.length !== input.length) throw new EmbeddingError('fewer embeddings than texts');
      for (const { embedding } of data.sort((one, other) => one.index - other.index))
        vectors.push(normalize(embedding));
    }
    return vectors;
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

function normalize(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (!(length > 0)) throw new EmbeddingError('an embedding of length zero');
  return vector.map((value) => value / length);
}
