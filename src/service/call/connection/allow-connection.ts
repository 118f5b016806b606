import { eq, sql } from 'drizzle-orm';
import { calls } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { newSecret } from '../../lib/new-secret.ts';

/** Seconds within which a carrier reports or connects a call that no process owns. */
export const reconnectSeconds = 60;

/**
 * Allows the carrier to connect a call, even if its process died and the lease expires before the call is connected.
 *
 * @param options.wasLost whether the call's connection was lost. Such connections are counted until one succeeds.
 * @returns the secret of the pending connection.
 */
export async function allowConnection(
  queries: Queries,
  callId: number,
  { wasLost = false }: { wasLost?: boolean } = {},
): Promise<string> {
  const [allowed] = await queries
    .update(calls)
    .set({
      connectToken: sql`coalesce(${calls.connectToken}, ${newSecret()})`,
      leaseUntil: sql`greatest(${calls.leaseUntil}, ${leaseEnd(reconnectSeconds * 1000)})`,
      ...(wasLost && { lostConnections: sql`${calls.lostConnections} + 1` }),
    })
    .where(eq(calls.id, callId))
    .returning({ connectToken: sql<string>`${calls.connectToken}` });
  if (!allowed) throw new Error('The call was deleted.');
  return allowed.connectToken;
}
