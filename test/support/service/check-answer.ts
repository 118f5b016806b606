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

/** The status that any operation may have while the service stops. */
const stopping = 503;

let expectsFailures = false;

/** Runs a task during which the service is made to fail inside. Elsewhere a status of 500 fails a test. */
export async function expectingFailures(task: () => Promise<void>): Promise<void> {
  expectsFailures = true;
  try {
    await task();
  } finally {
    expectsFailures = false;
  }
}

/**
 * Fails when an answer is not what the contract says of its operation: another status, or another body. So every test
 * that talks to the service also tests the interface's description.
 */
export function checkAnswer(
  method: string,
  path: string,
  { status, json, headers, text }: ServiceAnswer,
): void {
  const { pathname } = new URL(path, 'http://service.invalid');
  const fitting = operations.filter((each) => each.method === method && each.pattern.test(pathname));
  const operation = fitting.find(({ isFixed }) => isFixed) ?? fitting[0];
  assert.ok(status !== 500 || expectsFailures, `${method} ${path} failed inside: ${text}`);
  if (operation === undefined || status === 500 || status === stopping) return;
  const { name, statuses, success = 200, response } = operation;
  assert.ok(
    statuses.includes(status),
    `${name} answered ${status}, which its description does not have: ${text}`,
  );
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true;
  if (status !== success) {
    const problems = refusalProblems(describeRefusal(operation, status), isJson ? json : undefined);
    assert.deepEqual(problems, [], `${name} refused with what its description does not have: ${text}`);
  } else if (isJson) {
    const { error } = response.safeParse(json);
    assert.equal(error, undefined, `${name} answered what its description does not have: ${String(error)}`);
    assert.deepEqual(schemaProblems(json, schemaOf(response)), [], `${name} answered more than it describes`);
  }
}

type Schema = (typeof operations)[number]['response'];
const schemas = new Map<Schema, JsonSchema>();

/** The schema of an answer, made when it is first needed: a test file meets few. */
function schemaOf(response: Schema): JsonSchema {
  const known = schemas.get(response);
  if (known) return known;
  const made = z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  schemas.set(response, made);
  return made;
}

/** What a refusal's body has that is not described, or lacks. */
function refusalProblems(described: JsonSchema, body: unknown): string[] {
  const content = described['content'] as Record<string, { schema: JsonSchema }> | undefined;
  const schema = content?.['application/json']?.schema;
  if (!schema) return [];
  const named = (schema.anyOf ?? [schema]).map(({ $ref = '' }) => errorSchemas[$ref.split('/').at(-1) ?? '']);
  return schemaProblems(body, { anyOf: named.map((each) => each ?? {}) });
}
