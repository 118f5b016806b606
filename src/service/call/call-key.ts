import { and, eq } from 'drizzle-orm';
import { calls } from '../db/calls-table.ts';

/** A call's id and secret, as its carrier sends them. */
export interface CallKey {
  callId: number;
  token: string;
}

/** Matches a call by id and secret, so that only its carrier can act on it. */
export const isKeyed = ({ callId, token }: CallKey) => and(eq(calls.id, callId), eq(calls.token, token));
