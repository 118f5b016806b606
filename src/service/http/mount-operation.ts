import type { Context, Hono } from 'hono';
import type * as z from 'zod/mini';
import type { Operation, OwnerEndpoint } from '../../contract/owner-endpoint.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from './bearer-auth.ts';
import { checkFields } from './check-fields.ts';
import { readBody, readQuery } from './read-request.ts';
import { idInPath, runAuditedChange, unchanged } from './run-audited-change.ts';
import { Refusal } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';

/** The largest id that a record can have. */
const maximumId = 2_147_483_647;

type Shape<Schema> = Schema extends z.ZodMiniObject ? z.infer<Schema> : Record<string, never>;

/** A request with a valid key and valid fields. */
export interface OperationRequest<Endpoint extends OwnerEndpoint> {
  c: Context<Authenticated>;
  /** For an operation that the audit log lists, bound to the transaction of its entry. */
  database: Database;
  userId: number;
  body: Shape<Endpoint['request']>;
  query: Shape<Endpoint['query']>;
  /** Returns an id of the path; 0, which no record has, if it is invalid. */
  id: (name?: string) => number;
  /** Marks the request as one that changed nothing, such as a repeat, so that the audit log does not list it. */
  markAsUnchanged: () => void;
}

/** Checks the valid fields against the database. Returns further errors. */
export type FieldRules<Endpoint extends OwnerEndpoint> = (
  fields: Partial<Shape<Endpoint['request']>>,
  operation: Pick<OperationRequest<Endpoint>, 'userId' | 'id'> & { errors: FieldErrors },
) => Promise<FieldErrors>;

/**
 * Mounts an operation of the contract: checks query and body, and responds with the handler's result. For routes behind
 * `bearerAuth`.
 *
 * @param read reads the fields of the body; JSON by default.
 */
export function mountOperation<Endpoint extends OwnerEndpoint>(
  routes: Hono<Authenticated>,
  endpoint: Endpoint,
  handler: (operation: OperationRequest<Endpoint>) => Promise<unknown>,
  rules?: FieldRules<Endpoint>,
  read = readBody,
): void {
  routes.on(endpoint.method, routeOf(endpoint), async (c) => {
    const checked = await checkRequest(c, endpoint, rules, read);
    let isUnchanged = false;
    const markAsUnchanged = () => {
      isUnchanged = true;
    };
    const answer = await runAuditedChange(
      c,
      (database) => handler({ ...checked, database, markAsUnchanged }),
      (given) => (isUnchanged ? unchanged : (idInPath(c) ?? findId(endpoint, checked.body, given))),
    );
    return c.json(answer, endpoint.success ?? 200);
  });
}

/** A request that waits for another server before or after it changes records. */
type LongRequest<Endpoint extends OwnerEndpoint> = Omit<
  OperationRequest<Endpoint>,
  'database' | 'markAsUnchanged'
> & {
  /** Changes records in one transaction with the entry in the audit log. The work returns the id of the record. */
  change: (work: (database: Database) => Promise<number>) => Promise<number>;
};

/** Like {@link mountOperation}, but the handler runs in no transaction, so that it may wait for another server. */
export function mountLongOperation<Endpoint extends OwnerEndpoint>(
  routes: Hono<Authenticated>,
  endpoint: Endpoint,
  handler: (operation: LongRequest<Endpoint>) => Promise<object>,
  rules?: FieldRules<Endpoint>,
): void {
  routes.on(endpoint.method, routeOf(endpoint), async (c) => {
    const checked = await checkRequest(c, endpoint, rules, readBody);
    const answer = await handler({ ...checked, change: (work) => runAuditedChange(c, work, (id) => id) });
    return c.json(answer, endpoint.success ?? 200);
  });
}

const routeOf = ({ path }: OwnerEndpoint) => path.replace(/^\/api\/(user|automate)/, '');

async function checkRequest<Endpoint extends OwnerEndpoint>(
  c: Context<Authenticated>,
  endpoint: Endpoint,
  rules: FieldRules<Endpoint> | undefined,
  read: typeof readBody,
) {
  const userId = c.get('user').id;
  const id = (name = 'id') => readId(c.req.param(name));
  const query = check(endpoint.query, endpoint.query && readQuery(c));
  throwIfAny(query.errors);
  const body = check(endpoint.request, endpoint.request && (await read(c)));
  const { errors } = body;
  const fields = body.fields as Partial<Shape<Endpoint['request']>>;
  const ruleErrors = (await rules?.(fields, { userId, id, errors })) ?? {};
  throwIfAny({ ...ruleErrors, ...errors });
  return {
    c,
    userId,
    body: body.fields as Shape<Endpoint['request']>,
    query: query.fields as Shape<Endpoint['query']>,
    id,
  };
}

/** Returns the id of the changed record: of the request's body, or of the record that the answer contains. */
function findId({ changes }: Operation, body: object, answer: unknown): number | null {
  const { data, ...answered } = (answer ?? {}) as Record<string, unknown>;
  const field = `${changes}_id`;
  const ids = { ...(data as object | undefined), ...answered, ...body } as Record<string, unknown>;
  const id = ids[field] ?? (data as { id?: unknown } | undefined)?.id;
  return typeof id === 'number' ? id : null;
}

const check = (schema: z.ZodMiniObject | undefined, given: Record<string, unknown> | undefined) =>
  schema ? checkFields(schema, given ?? {}) : { fields: {}, errors: {} };

function throwIfAny(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw Refusal.invalid(errors);
}

function readId(text: string | undefined): number {
  const id = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0;
  return id <= maximumId ? id : 0;
}
