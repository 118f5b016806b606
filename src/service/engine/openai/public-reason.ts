import OpenAI from 'openai';

/** Says why a language model failed in words for a visitor: no address, no key, nothing of the provider's own text. */
export function publicReason(error: unknown): string {
  // The time-out is a kind of connection error, so it comes first.
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
