import OpenAI from 'openai';
import type { Logger } from 'pino';

/** Where the meaning of texts comes from: any endpoint that speaks OpenAI's embeddings protocol. */
export interface EmbeddingConfig {
  /** Undefined means OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

/** Local servers want no key, but the library wants one. */
const noKey = 'none';

/** Texts of one request. */
const batch = 64;

/** Longest text that is looked at, in UTF-16 code units; models take about 8,000 tokens. */
const longest = 6000;

/** Longest wait for the vector of a question, in milliseconds: somebody waits for the answer. */
const questionMs = 3000;

/**
 * Texts could not be turned into vectors. What the endpoint said of it is left out, and so is the cause: it may quote
 * the key or the texts, and this goes into the log.
 */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  /** @param reason what the endpoint returned, or the error of the request. */
  constructor(reason: unknown) {
    super(
      `The embedding endpoint returned ${typeof reason === 'string' ? reason : `no embeddings: ${kindOf(reason)}`}.`,
    );
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const status = 'status' in error && typeof error.status === 'number' ? `, status ${error.status}` : '';
  return `${error.constructor.name}${status}`;
}

/** Turns texts into vectors whose nearness is that of their meaning, by an OpenAI-compatible endpoint. */
export class Embedder {
  /** Vectors of different models have nothing to do with each other. */
  readonly model: string;
  readonly #client: OpenAI;
  readonly #log: Logger;

  constructor({ baseUrl, apiKey, model }: EmbeddingConfig, log: Logger) {
    this.model = model;
    this.#log = log;
    // Its own log would have the texts.
    this.#client = new OpenAI({
      apiKey: apiKey ?? noKey,
      baseURL: baseUrl ?? null,
      maxRetries: 1,
      logLevel: 'off',
    });
  }

  /**
   * The vectors of texts, each of the length 1.
   *
   * @throws EmbeddingError, or the signal's reason.
   */
  async embed(
    texts: string[],
    options: { signal?: AbortSignal; timeout?: number } = {},
  ): Promise<number[][]> {
    const vectors: number[][] = [];
    for (let start = 0; start < texts.length; start += batch) {
      const input = texts.slice(start, start + batch).map((text) => text.slice(0, longest).toWellFormed());
      const { data } = await this.#client.embeddings
        .create({ model: this.model, input, encoding_format: 'float' }, { timeout: 60_000, ...options })
        .catch((error: unknown) => {
          options.signal?.throwIfAborted();
          throw new EmbeddingError(error);
        });
      if (data.length !== input.length) throw new EmbeddingError('fewer embeddings than texts');
      for (const { embedding } of data.sort((one, other) => one.index - other.index))
        vectors.push(unit(embedding));
    }
    return vectors;
  }

  /** The vector of a question; undefined if the endpoint does not answer in time. */
  async embedQuestion(question: string): Promise<number[] | undefined> {
    try {
      return (await this.embed([question], { timeout: questionMs }))[0];
    } catch (error) {
      this.#log.warn({ err: error }, 'a question could not be embedded; its words are searched for');
      return undefined;
    }
  }
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (!(length > 0)) throw new EmbeddingError('an embedding without a direction');
  return vector.map((value) => value / length);
}
