import OpenAI from 'openai';

const unavailable = 'the assistant cannot answer at the moment; please try again later';

/** Explains a failure of a language model to a visitor, without address, key or text of the provider. */
export function publicReason(error: unknown): string {
  // A subclass of APIConnectionError, so it is checked first.
  if (error instanceof OpenAI.APIConnectionTimeoutError) return 'the language model did not answer in time';
  if (error instanceof OpenAI.APIConnectionError) return 'the language model cannot be reached';
  if (error instanceof OpenAI.RateLimitError)
    return 'the language model is overloaded; please try again in a moment';
  // Its cause is the operator's business (`ModelProblems`); a visitor can do nothing about it.
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError)
    return unavailable;
  if (error instanceof OpenAI.NotFoundError) return unavailable;
  if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) {
    return unavailable;
  }
  return 'the language model failed to answer';
}
