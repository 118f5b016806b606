import OpenAI from 'openai';

/**
 * Problems of language models that only the operator can solve, such as a wrong key. The latest response of a model
 * decides whether it has one.
 */
export class ModelProblems {
  readonly #byModel = new Map<string, string>();

  /** A sentence for each model with a problem, without address and key. */
  get all(): string[] {
    return [...this.#byModel.values()];
  }

  /** The model has begun a response. */
  clear(model: string): void {
    this.#byModel.delete(model);
  }

  /** Adds the problem of a failed request, if it is one of the configuration; returns it. */
  report(model: string, error: unknown): string | undefined {
    const problem = describeProblem(model, error);
    if (problem !== undefined) this.#byModel.set(model, problem);
    return problem;
  }
}

function describeProblem(model: string, error: unknown): string | undefined {
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError) {
    return `The endpoint of the model "${model}" refuses the API key (${error.status}). Check LLM_API_KEY or MODELS.`;
  }
  if (error instanceof OpenAI.NotFoundError) {
    return `The endpoint has no model "${model}" (404). Check LLM_MODEL, LLM_BASE_URL or MODELS.`;
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return `The endpoint of the model "${model}" does not respond. Check LLM_BASE_URL or MODELS.`;
  }
  return undefined;
}
