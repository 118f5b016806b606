import type * as z from 'zod/mini';

/**
 * The scopes of API keys: `read` for lists and records; `write` to create, change and delete them; `calls` for
 * everything that causes calls; `money` for limits and purchases; `inbox` to write in conversations with customers.
 */
export const scopes = ['read', 'write', 'calls', 'money', 'inbox'] as const;
export type Scope = (typeof scopes)[number];

/** The kinds of records that operations and commands change, in the audit log. */
export const recordKinds = [
  'assistant',
  'tool',
  'knowledgebase',
  'document',
  'phone-number',
  'campaign',
  'lead',
  'blocked-number',
  'call',
  'conversation',
  'webhook-delivery',
  'webhook-secret',
  'spending-limit',
  'user',
  'balance',
  'api-key',
  'person',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Describes an operation of the service for its route, its documentation and typed clients. */
export interface Operation {
  /** One or two sentences for the documentation. */
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each parameter. */
  path: string;
  auth: 'none' | 'bearer';
  /** The scope that the API key must have. */
  scope?: Scope;
  /** The kind of record that it changes, for the audit log; null if that does not list it. */
  changes?: RecordKind | null;
  /** The request body; an object, so that errors can name the invalid fields. */
  request?: z.ZodMiniObject;
  query?: z.ZodMiniObject;
  /** Names of the request headers that the operation reads, besides `Authorization`. */
  headers?: readonly string[];
  response: z.ZodMiniType;
  /** Status of a successful response; 200 by default. */
  success?: 200 | 201;
  statuses: readonly number[];
  /** Further paths of the same operation, for clients of other services. */
  aliases?: readonly string[];
  /** Whether the response is an event stream if the request accepts one. */
  streams?: true;
}

/** The part of an authenticated operation that differs from the others. */
type Description = Omit<Operation, 'auth' | 'statuses' | 'method' | 'changes'> & {
  path: `/api/user/${string}` | `/api/automate/${string}`;
  scope: Scope;
  /** Further error statuses of this operation. */
  refusals?: readonly number[];
} & ({ method: 'GET' } | { method: 'POST' | 'PUT' | 'DELETE'; changes: RecordKind | null });

/** An operation that requires an API key. */
export type OwnerEndpoint<Described extends Description = Description> = Described & {
  auth: 'bearer';
  statuses: readonly number[];
};

/** Describes an operation that requires an API key, and adds the statuses that all of them have in common. */
export function ownerEndpoint<const Described extends Description>(
  described: Described,
): OwnerEndpoint<Described> {
  const { path, request, query, success = 200, refusals = [] } = described;
  const statuses = new Set<number>([success, 401, 403, 429, ...refusals]);
  if (path.includes('/:')) statuses.add(404);
  if (request !== undefined) statuses.add(413);
  if (request !== undefined || query !== undefined) statuses.add(422);
  return { ...described, auth: 'bearer', statuses: [...statuses].sort((a, b) => a - b) };
}
