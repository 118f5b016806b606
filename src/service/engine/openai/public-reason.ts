import OpenAI from 'openai';
import { hasNoCredit } from './model-problems.ts';

const unavailable = 'the assistant cannot answer at the moment';

/** Explains a failure of a language model to a visitor, without address, key or text of the provider. */
export function publicReason(error: unknown): string {
  // A subclass of APIConnectionError, so it is checked first.
  if (error instanceof OpenAI.APIConnectionTimeoutError) return 'the language model did not answer in time';
  if (error instanceof OpenAI.APIConnectionError) return 'the language model cannot be reached';
  // Its cause is the operator's business (`ModelProblems`); a visitor can do nothing about it.
  if (hasNoCredit(error)) return unavailable;
  if (error instanceof OpenAI.RateLimitError) return 'the language model is overloaded';
  if (error instanceof OpenAI.AuthenticationError || error instanceof OpenAI.PermissionDeniedError)
    return unavailable;
  if (error instanceof OpenAI.NotFoundError) return unavailable;
  if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) {
    return unavailable;
  }
  return 'the language model failed to answer';
}

/** Explains it to the assistant's owner, who need not be the operator: without address, key or text of the provider. */
export function ownerReason(error: unknown): string {
  if (error instanceof OpenAI.APIConnectionTimeoutError || !(error instanceof OpenAI.APIError))
    return publicReason(error);
  const { status } = error as { status?: number };
  if (status === undefined) return 'the connection to the language model failed';
  if (status < 400) return publicReason(error);
  if (status === 401 || status === 403) return `the model refuses the API key (${status})`;
  if (status === 404) return 'the endpoint does not know the model (404)';
  if (hasNoCredit(error)) return `the account of the language model has no credit left (${status})`;
  if (status === 429) return 'rate limited by the language model (429)';
  if (status < 500) return `the model refuses the request (${status})`;
  return `the language model failed (${status})`;
}
