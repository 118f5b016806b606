import { and, eq } from 'drizzle-orm';
import { calls } from '../db/calls-table.ts';
import { isOpen } from './is-open.ts';

/** This process no longer owns the call: it was deleted, or its lease expired. */
export class CallLeaseLostError extends Error {
  override readonly name = 'CallLeaseLostError';
}

/** Matches a call that is open and leased by this owner. */
export const isLeasedBy = (callId: number, owner: string) =>
  and(eq(calls.id, callId), eq(calls.leaseOwner, owner), isOpen);
