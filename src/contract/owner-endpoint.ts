import type * as z from 'zod/mini';

/** One operation of the service as data, for its routes, its documentation and typed clients. */
export interface Operation {
  /** What the operation does, in a sentence or two. */
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each parameter. */
  path: string;
  auth: 'none' | 'bearer';
  /** The body, if there is one; an object, so that every invalid field can be named. */
  request?: z.ZodMiniObject;
  query?: z.ZodMiniObject;
  /** Names of the request headers that the operation reads, beside the key. */
  headers?: readonly string[];
  response: z.ZodMiniType;
  /** Status of a successful answer; 200 if absent. */
  success?: 200 | 201;
  statuses: readonly number[];
  /** Further paths of the same operation, for clients of other services. */
  aliases?: readonly string[];
  /** Whether the answer is an event stream for requests that accept one. */
  streams?: true;
}

/** The part of an operation with a key that its file states; the rest is the same for all of them. */
interface Description extends Omit<Operation, 'auth' | 'statuses'> {
  path: `/api/user/${string}` | `/api/automate/${string}`;
  /** Statuses of refusals that only this operation has. */
  refusals?: readonly number[];
}

/** An operation that needs an API key. */
export type OwnerEndpoint<Described extends Description = Description> = Described & {
  auth: 'bearer';
  statuses: readonly number[];
};

/** Describes an operation that needs an API key; adds the statuses that all of them can answer with. */
export function ownerEndpoint<const Described extends Description>(
  described: Described,
): OwnerEndpoint<Described> {
  const { path, request, query, success = 200, refusals = [] } = described;
  const statuses = new Set<number>([success, 401, 429, ...refusals]);
  if (path.includes('/:')) statuses.add(404);
  if (request !== undefined) statuses.add(413);
  if (request !== undefined || query !== undefined) statuses.add(422);
  return { ...described, auth: 'bearer', statuses: [...statuses].sort((a, b) => a - b) };
}
