import type { Hono } from 'hono';
import * as endpoints from '../../contract/blocked-number.ts';
import { blockNumber, listBlockedNumbers, unblockNumber } from '../campaign/blocked-number.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';

/** Default page size. */
const pageSize = 15;

/** Blocked numbers (our addition). */
export function blockedNumberRoutes(routes: Hono<Authenticated>, database: Database): void {
  mountOperation(routes, endpoints.listBlockedNumbers, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, numbers } = await listBlockedNumbers(database, userId, query, page);
    return paginate(c, page, total, numbers);
  });
  mountOperation(routes, endpoints.blockNumber, async ({ database, userId, body, markAsUnchanged }) => {
    const { blocked, isNew } = await blockNumber(database.db, userId, body.phone_number);
    if (!isNew) markAsUnchanged();
    return { message: 'The number is blocked.', data: blocked };
  });
  mountOperation(routes, endpoints.unblockNumber, async ({ database, userId, id }) => {
    await unblockNumber(database, userId, id());
    return { message: 'The number is no longer blocked.' };
  });
}
