import OpenAI from 'openai';

/** The response is none of OpenAI's protocol, such as a web page. */
export class IncompatibleEndpointError extends Error {
  override readonly name = 'IncompatibleEndpointError';
  readonly status = 200;

  constructor(options?: ErrorOptions) {
    super('the response has no chunk of a chat completion', options);
  }
}

/** Whether the account's credit or quota is used up, which a retry does not change. */
export const hasNoCredit = (error: unknown): error is InstanceType<typeof OpenAI.APIError> =>
  error instanceof OpenAI.APIError &&
  (error.status === 402 || (error.status === 429 && error.code === 'insufficient_quota'));

/**
 * Describes a problem that only the operator can solve, such as a wrong key, without address and key.
 *
 * @param model its name, and where it is configured.
 * @returns undefined if the error is none of the configuration.
 */
export function describeProblem(model: string, error: unknown): string | undefined {
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError) {
    return `The endpoint of the model ${model} refuses the API key (${error.status}). Check LLM_API_KEY or MODELS.`;
  }
  if (error instanceof OpenAI.NotFoundError) {
    return `The endpoint has no model ${model} (404). Check LLM_MODEL, LLM_BASE_URL or MODELS.`;
  }
  if (hasNoCredit(error)) {
    return `The account of the model ${model} has no credit left (${error.status}). Check it at the model's provider.`;
  }
  if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) {
    return (
      `The model ${model} has refused the latest request (${error.status}). ` +
      'The log has the code of the error, if there is one. Check LLM_MODEL or MODELS.'
    );
  }
  if (error instanceof IncompatibleEndpointError) {
    return `The endpoint of the model ${model} is not an OpenAI-compatible endpoint. Check LLM_BASE_URL or MODELS.`;
  }
  // Sent as the first event of a stream.
  if (error instanceof OpenAI.APIError && error.status === 200) {
    return (
      `The endpoint of the model ${model} has responded with an error. ` +
      'The log has its code, if there is one. Check LLM_MODEL or MODELS.'
    );
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return `The endpoint of the model ${model} does not respond. Check LLM_BASE_URL or MODELS.`;
  }
  return undefined;
}
