import { makeCall } from '../../contract/call.ts';
import { updateCampaignStatus } from '../../contract/campaign.ts';
import { generateReply, replyErrorCodes } from '../../contract/generate-reply.ts';
import type { Operation } from '../../contract/operations.ts';
import { purchasePhoneNumber } from '../../contract/phone-number.ts';
import type { JsonSchema } from './schemas.ts';

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
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
  description: 'Every field that is wrong, with what is wrong with it.',
  additionalProperties: { type: 'array', items: text },
};

/** The bodies of refusals, each kind by its name. */
export const errorSchemas: Record<string, JsonSchema> = {
  ConversationRefused: object({ status: failed, error: text }),
  InvalidFields: object({ message: firstError, errors: fieldErrors }),
  InvalidPurchase: object({ error: text, message: firstError, errors: fieldErrors }),
  Refused: object({ message: text }),
  RefusedWithError: object({ error: text }),
  PurchaseRefused: object({ error: text, message: text }),
  HandoffRefused: object({ status: failed, error: text, message: text }),
  CampaignStatusRefused: {
    ...object({ success: failed, message: text }),
    properties: {
      ...{ success: failed, message: text, errors: fieldErrors },
      data: {
        ...object({ status: text }),
        description: 'With too little balance: the status that the campaign keeps.',
      },
    },
  },
  ReplyRefused: object({
    success: failed,
    error: text,
    error_code: { type: 'string', enum: [...replyErrorCodes] },
  }),
  TooManyRequests: object({ message: text, retry_after: { type: 'integer', description: 'Seconds.' } }),
};

const descriptions: Record<number, string> = {
  304: 'What the client has is up to date.',
  400: 'Refused, for a reason that the body tells.',
  401: 'The key is missing or wrong.',
  402: 'The balance is too low.',
  404: "There is no such record, or it is another user's.",
  409: 'Not while it is as it is; the body tells why.',
  413: 'The body is too large.',
  422: 'A field is missing or wrong.',
  429: 'Too many requests; try again after the seconds that Retry-After names.',
};

/** Records whose refusals have the text in `error`. */
const saysError = /^\/api\/user\/(knowledgebases|phone-numbers)/;

/** The names of the bodies that an operation may refuse with; none for an answer without a body. */
function bodiesOf({ path, auth }: Pick<Operation, 'path' | 'auth'>, status: number): string[] {
  if (status === 304) return [];
  if (status === 429) return ['TooManyRequests'];
  if (auth === 'none') return ['ConversationRefused'];
  if (path.startsWith('/api/automate/')) return ['HandoffRefused'];
  if (path === purchasePhoneNumber.path && [400, 402].includes(status)) return ['PurchaseRefused'];
  if (path === purchasePhoneNumber.path && status === 422) return ['InvalidPurchase'];
  if (path === updateCampaignStatus.path && [400, 404].includes(status)) return ['CampaignStatusRefused'];
  if (path === updateCampaignStatus.path && status === 422) return ['InvalidFields', 'CampaignStatusRefused'];
  // Too little money for a call is no field that is wrong.
  if (status === 422) return path === makeCall.path ? ['InvalidFields', 'Refused'] : ['InvalidFields'];
  if (path === generateReply.path && [400, 402, 404].includes(status)) return ['ReplyRefused'];
  return [(status === 404 || status === 400) && saysError.test(path) ? 'RefusedWithError' : 'Refused'];
}

/** A refusal with one of these bodies, as an OpenAPI response. */
export function refusalWith(names: readonly string[], description: string): JsonSchema {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const [schema, ...others] = references;
  if (schema === undefined) return { description };
  const content = { 'application/json': { schema: others.length > 0 ? { anyOf: references } : schema } };
  return { description, content };
}

/** What a refusal looks like, as an OpenAPI response. */
export function describeRefusal(operation: Pick<Operation, 'path' | 'auth'>, status: number): JsonSchema {
  const description = descriptions[status];
  if (description === undefined) throw new Error(`Nothing is said about the status ${status}.`);
  const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };
  return {
    ...refusalWith(bodiesOf(operation, status), description),
    ...(status === 429 && { headers: retryAfter }),
  };
}
