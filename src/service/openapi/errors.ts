import { makeCall } from '../../contract/call.ts';
import { updateCampaignStatus } from '../../contract/campaign.ts';
import { generateReply, replyErrorStatuses } from '../../contract/generate-reply.ts';
import type { Operation } from '../../contract/operations.ts';
import { purchasePhoneNumber } from '../../contract/phone-number.ts';
import { startVoice } from '../../contract/web-call.ts';
import type { JsonSchema } from './schemas.ts';

const objectOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: {},
});
const text = { type: 'string' };
const failed = { type: 'boolean', const: false };
const firstError = { type: 'string', description: 'The first error.' };
const fieldErrors = {
  type: 'object',
  description: 'Every invalid field with its errors.',
  additionalProperties: { type: 'array', items: text },
};

/** Schemas of error bodies by name. */
export const errorSchemas: Record<string, JsonSchema> = {
  ConversationRefused: objectOf({ status: failed, error: text }),
  ProofRequired: objectOf({
    status: failed,
    error: text,
    proof_of_work: {
      ...objectOf({
        algorithm: text,
        challenge: text,
        salt: text,
        signature: text,
        maxnumber: { type: 'integer' },
      }),
      description: "A challenge of ALTCHA's protocol, version 1.",
    },
  }),
  InvalidFields: objectOf({ message: firstError, errors: fieldErrors }),
  InvalidPurchase: objectOf({ error: text, message: firstError, errors: fieldErrors }),
  Refused: objectOf({ message: text }),
  RefusedWithError: objectOf({ error: text }),
  PurchaseRefused: objectOf({ error: text, message: text }),
  HandoffRefused: objectOf({ status: failed, error: text, message: text }),
  CampaignStatusRefused: {
    ...objectOf({ success: failed, message: text }),
    properties: {
      success: failed,
      message: text,
      errors: fieldErrors,
      data: {
        ...objectOf({ status: text }),
        description: 'If the balance is too low: the unchanged status of the campaign.',
      },
    },
  },
  ReplyRefused: objectOf({
    success: failed,
    error: text,
    error_code: { type: 'string', enum: Object.keys(replyErrorStatuses) },
  }),
  TooManyRequests: objectOf({ message: text, retry_after: { type: 'integer', description: 'Seconds.' } }),
};

const descriptions: Record<number, string> = {
  304: "The client's copy is up to date.",
  400: 'Refused; the body has the reason.',
  401: 'The key or token is missing, wrong or expired.',
  402: 'The balance is too low.',
  403: "The page's origin is not in the assistant's `allowed_origins`.",
  404: "There is no such record, or it is another user's.",
  409: 'The state of the record does not allow this; the body has the reason.',
  413: 'The body is too large.',
  422: 'A field is missing or wrong.',
  428: 'The message or call needs a proof of work: a solution of the challenge in `proof_of_work`.',
  429: 'Too many requests; try again after the number of seconds in Retry-After.',
  503: 'Not available; the body has the reason.',
};

/** Resources whose errors have the text in `error`. */
const usesErrorField = /^\/api\/user\/(knowledgebases|phone-numbers)/;

/** The names of the error schemas of an operation; none for a response without a body. */
function bodiesOf({ path, auth }: Pick<Operation, 'path' | 'auth'>, status: number): string[] {
  if (status === 304) return [];
  if (status === 429) {
    return path === startVoice.path ? ['TooManyRequests', 'ConversationRefused'] : ['TooManyRequests'];
  }
  if (status === 428) return ['ProofRequired'];
  if (auth === 'none') return ['ConversationRefused'];
  if (path.startsWith('/api/automate/')) return ['HandoffRefused'];
  if (path === purchasePhoneNumber.path && [400, 402, 503].includes(status)) return ['PurchaseRefused'];
  if (path === purchasePhoneNumber.path && status === 422) return ['InvalidPurchase'];
  if (path === updateCampaignStatus.path && [400, 404].includes(status)) return ['CampaignStatusRefused'];
  if (path === updateCampaignStatus.path && status === 422) return ['InvalidFields', 'CampaignStatusRefused'];
  // A balance that is too low for a call is not an error of a field.
  if (status === 422) return path === makeCall.path ? ['InvalidFields', 'Refused'] : ['InvalidFields'];
  if (path === generateReply.path && [400, 402, 404].includes(status)) return ['ReplyRefused'];
  return [[400, 404, 503].includes(status) && usesErrorField.test(path) ? 'RefusedWithError' : 'Refused'];
}

/** An error response with one of these bodies, in OpenAPI. */
export function refusalWith(names: readonly string[], description: string): JsonSchema {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const [schema, ...others] = references;
  if (schema === undefined) return { description };
  const content = { 'application/json': { schema: others.length > 0 ? { anyOf: references } : schema } };
  return { description, content };
}

const describeStatus = (status: number, { auth }: Pick<Operation, 'auth'>) =>
  status === 403 && auth === 'bearer' ? 'The key lacks the scope of this operation.' : descriptions[status];

/** Describes an error response of an operation, in OpenAPI. */
export function describeRefusal(operation: Pick<Operation, 'path' | 'auth'>, status: number): JsonSchema {
  const description = describeStatus(status, operation);
  if (description === undefined) throw new Error(`The status ${status} has no description.`);
  const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };
  return {
    ...refusalWith(bodiesOf(operation, status), description),
    ...(status === 429 && { headers: retryAfter }),
  };
}
