import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { listOperations } from '../../../src/contract/operations.ts';
import { describeRefusal, errorSchemas } from '../../../src/service/openapi/errors.ts';
import type { JsonSchema } from '../../../src/service/openapi/schemas.ts';
import { schemaProblems } from './schema-problems.ts';
import type { ServiceAnswer } from './service-client.ts';

const operations = listOperations().map(([name, operation]) => ({
  name,
  ...operation,
  pattern: new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`),
  isFixed: !operation.path.includes('/:'),
}));

/** Any operation may return this status while the service stops. */
const stopping = 503;

let expectsFailures = false;

/** Runs a task in which status 500 is expected. Elsewhere it fails the test. */
export async function expectingFailures(task: () => Promise<void>): Promise<void> {
  expectsFailures = true;
  try {
    await task();
  } finally {
    expectsFailures = false;
  }
}

/**
 * Throws if the status or the body of a response does not match the contract of its operation. So every test that sends
 * requests to the service also tests the API description.
 */
export function checkAnswer(
  method: string,
  path: string,
  { status, json, headers, text }: ServiceAnswer,
): void {
  const { pathname } = new URL(path, 'http://service.invalid');
  const matching = operations.filter((each) => each.method === method && each.pattern.test(pathname));
  const operation = matching.find(({ isFixed }) => isFixed) ?? matching[0];
  assert.ok(status !== 500 || expectsFailures, `${method} ${path} failed with an internal error: ${text}`);
  if (operation === undefined || status === 500 || status === stopping) return;
  const { name, statuses, success = 200, response } = operation;
  assert.ok(
    statuses.includes(status),
    `${name} returned status ${status}, which its description lacks: ${text}`,
  );
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true;
  if (status !== success) {
    const problems = errorProblems(describeRefusal(operation, status), isJson ? json : undefined);
    assert.deepEqual(problems, [], `${name} returned an error that its description lacks: ${text}`);
  } else if (isJson) {
    const { error } = response.safeParse(json);
    assert.equal(error, undefined, `${name} returned a body that its description lacks: ${String(error)}`);
    assert.deepEqual(
      schemaProblems(json, schemaOf(response)),
      [],
      `${name} returned fields that its description lacks`,
    );
  }
}

type Schema = (typeof operations)[number]['response'];
const schemas = new Map<Schema, JsonSchema>();

/** The JSON schema of a response, cached, and created on first use since a test file needs few. */
function schemaOf(response: Schema): JsonSchema {
  const cached = schemas.get(response);
  if (cached) return cached;
  const schema = z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  schemas.set(response, schema);
  return schema;
}

/** The differences between an error's body and its description. */
function errorProblems(described: JsonSchema, body: unknown): string[] {
  const content = described['content'] as Record<string, { schema: JsonSchema }> | undefined;
  const schema = content?.['application/json']?.schema;
  if (!schema) return [];
  const bodies = (schema.anyOf ?? [schema]).map(
    ({ $ref = '' }) => errorSchemas[$ref.split('/').at(-1) ?? ''],
  );
  return schemaProblems(body, { anyOf: bodies.map((body) => body ?? {}) });
}
