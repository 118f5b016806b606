import OpenAI from 'openai';

/** Explains a failure of a language model to a visitor, without address, key or text of the provider. */
export function publicReason(error: unknown): string {
  // A subclass of APIConnectionError, so it is checked first.
  if (error instanceof OpenAI.APIConnectionTimeoutError) return 'the language model did not answer in time';
  if (error instanceof OpenAI.APIConnectionError) return 'the language model cannot be reached';
  if (error instanceof OpenAI.RateLimitError)
    return 'the language model is overloaded; please try again in a moment';
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError) {
    return "the language model refused the service's credentials";
  }
  if (error instanceof OpenAI.NotFoundError) return 'the configured language model does not exist';
  if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) {
    return 'the language model refused the request';
  }
  return 'the language model failed to answer';
}
