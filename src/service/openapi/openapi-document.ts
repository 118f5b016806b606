import { listOperations, scopes } from '../../contract/operations.ts';
import type { Operation } from '../../contract/operations.ts';
import { describeConversationEvents } from './describe-conversation-events.ts';
import { describeRefusal, errorSchemas } from './errors.ts';
import { describeRecordings } from './recordings.ts';
import { DocumentSchemas } from './schemas.ts';
import type { JsonSchema } from './schemas.ts';
import { tagOf, tags } from './tags.ts';
import { describeWebhooks } from './webhooks.ts';
import type { DocumentedWebhook } from './webhooks.ts';

/** An operation of an OpenAPI document. */
export interface DocumentedOperation {
  operationId: string;
  tags: [string];
  summary: string;
  /** The key, with the scope that it must have. */
  security: Record<string, string[]>[];
  parameters: {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    description?: string;
    schema: JsonSchema;
  }[];
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, JsonSchema>;
}

/** An OpenAPI document, as far as this service uses it. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<'get' | 'post' | 'put' | 'delete', DocumentedOperation>>>;
  webhooks: Record<string, DocumentedWebhook>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
}

const description =
  'Businesses build voice assistants with this interface: for phone calls, and for text conversations on websites.';

const keyDescription = `An API key, with the scope that the operation requires: ${scopes.join(', ')}.`;

/** Descriptions of request headers. */
const headers: Record<string, string> = {
  'Idempotency-Key':
    'A random text, such as a UUID. Repeating a request with the same key and body returns the same answer and bills once.',
  'If-None-Match': "The ETag of the client's copy.",
};

/** Describes every operation (OpenAPI 3.1), from the same schemas that validate requests. */
export function createOpenApiDocument(version: string): OpenApiDocument {
  const schemas = new DocumentSchemas();
  const paths: OpenApiDocument['paths'] = {};
  const add = ({ path, method }: Pick<Operation, 'path' | 'method'>, described: DocumentedOperation) => {
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: described };
  };
  for (const [name, operation] of listOperations()) {
    const described = describe(name, operation, schemas);
    add(operation, described);
    for (const path of operation.aliases ?? []) {
      add({ ...operation, path }, { ...described, operationId: `${name}Alias` });
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Voice assistants', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags,
    paths: { ...paths, ...describeConversationEvents(schemas), ...describeRecordings() },
    webhooks: describeWebhooks(),
    components: {
      schemas: { ...schemas.toJson(), ...errorSchemas },
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: keyDescription } },
    },
  };
}

function describe(name: string, operation: Operation, schemas: DocumentSchemas): DocumentedOperation {
  const { summary, path, auth, scope, request, query, statuses, success = 200 } = operation;
  const refusals = statuses.filter((status) => status !== success);
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    security: auth === 'bearer' ? [{ key: scope === undefined ? [] : [scope] }] : [],
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => pathParameter(parameter)),
      ...(query ? schemas.query(query) : []).map((each) => ({ ...each, in: 'query' as const })),
      ...(operation.headers ?? []).map(headerParameter),
    ],
    ...(request && {
      requestBody: { required: true, content: bodyContent(schemas.request(name, request), request) },
    }),
    responses: {
      [success]: {
        description: 'Done.',
        content: answerContent(schemas.answer(name, operation.response), operation),
      },
      ...Object.fromEntries(refusals.map((status) => [status, describeRefusal(operation, status)])),
    },
  };
}

const pathParameter = (name: string) => ({
  name,
  in: 'path' as const,
  required: true,
  schema: name === 'uuid' ? { type: 'string', format: 'uuid' } : { type: 'integer', minimum: 1 },
});

const headerParameter = (name: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description: headers[name] ?? '',
  schema: { type: 'string' },
});

/** Bodies with an optional file can be sent as JSON, too. */
function bodyContent(schema: JsonSchema, { shape }: NonNullable<Operation['request']>) {
  const content = { 'application/json': { schema } };
  return 'file' in shape ? { ...content, 'multipart/form-data': { schema } } : content;
}

function answerContent(schema: JsonSchema, { streams }: Operation) {
  const content = { 'application/json': { schema } };
  if (streams !== true) return content;
  const events =
    'Events: delta {text}, function_call {name, arguments, result?}, done (the JSON answer), error.';
  return { ...content, 'text/event-stream': { schema: { type: 'string', description: events } } };
}
