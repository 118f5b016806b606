import { calls } from '../../src/service/db/calls-table.ts';
import type { TestService } from './service.ts';

type Call = typeof calls.$inferInsert;

/** Stores the record of a call, which no operation makes yet; returns its id. */
export async function addCall(
  { running }: TestService,
  call: Pick<Call, 'userId'> & Partial<Call>,
): Promise<number> {
  const [stored] = await running.database.db
    .insert(calls)
    .values({ assistantName: 'Kim', type: 'outbound', clientPhoneNumber: '+4915112345678', ...call })
    .returning({ id: calls.id });
  if (!stored) throw new Error('The call was not stored.');
  return stored.id;
}
