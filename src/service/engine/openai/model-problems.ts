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

/** Whether the account's credit or quota is used up, which a retry does not change. */
export const hasNoCredit = (error: unknown): error is InstanceType<typeof OpenAI.APIError> =>
  error instanceof OpenAI.APIError &&
  (error.status === 402 || (error.status === 429 && error.code === 'insufficient_quota'));

function describeProblem(model: string, error: unknown): string | undefined {
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError) {
    return `The endpoint of the model "${model}" refuses the API key (${error.status}). Check LLM_API_KEY or MODELS.`;
  }
  if (error instanceof OpenAI.NotFoundError) {
    return `The endpoint has no model "${model}" (404). Check LLM_MODEL, LLM_BASE_URL or MODELS.`;
  }
  if (hasNoCredit(error)) {
    return `The account of the model "${model}" has no credit left (${error.status}). Check it at the model's provider.`;
  }
  if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) {
    return (
      `The model "${model}" has refused the latest request (${error.status}). ` +
      'The log has the code of the error, if there is one. Check LLM_MODEL or MODELS.'
    );
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return `The endpoint of the model "${model}" does not respond. Check LLM_BASE_URL or MODELS.`;
  }
  return undefined;
}
