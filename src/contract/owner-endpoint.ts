import type * as z from 'zod/mini';

/** What is said of an operation that takes a key. */
interface Description {
  /** What it does, in a sentence or two: the documentation of the operation. */
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/api/user/${string}`;
  /** The body, if there is one; an object, so that every field that is wrong can be named. */
  request?: z.ZodMiniObject;
  query?: z.ZodMiniObject;
  /** Names of the headers that it reads, beside the key. */
  headers?: readonly string[];
  response: z.ZodMiniType;
  /** Of an answer that brings what was asked for; 200 unless something was created. */
  success?: 200 | 201;
  /** Statuses of refusals that this operation has and others have not. */
  refusals?: readonly number[];
}

/** An operation of the owner as data. */
export type OwnerEndpoint<Described extends Description = Description> = Described & {
  auth: 'bearer';
  statuses: readonly number[];
};

/** Describes an operation that takes a key. What all of them may answer need not be said again. */
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
