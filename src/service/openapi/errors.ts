import { makeCall } from '../../contract/call.ts';
import { generateReply, replyErrorCodes } from '../../contract/generate-reply.ts';
import type { Operation } from '../../contract/operations.ts';
import type { JsonSchema } from './schemas.ts';

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: {},
});
const text = { type: 'string' };

/** The bodies of refusals, each kind by its name. */
export const errorSchemas: Record<string, JsonSchema> = {
  ConversationRefused: object({ status: { type: 'boolean', const: false }, error: text }),
  InvalidFields: object({
    message: { type: 'string', description: 'The first error.' },
    errors: {
      type: 'object',
      description: 'Every field that is wrong, with what is wrong with it.',
      additionalProperties: { type: 'array', items: text },
    },
  }),
  Refused: object({ message: text }),
  RefusedWithError: object({ error: text }),
  ReplyRefused: object({
    success: { type: 'boolean', const: false },
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
