import type { Context, Hono } from 'hono';
import * as endpoints from '../../contract/call.ts';
import { deleteCall, listCalls, readCall } from '../call/call-records.ts';
import { makeCall } from '../call/start/make-call.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { readIdempotencyKey } from '../http/read-request.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';
import { publicOrigin } from '../http/public-origin.ts';
import type { AppContext } from './app-context.ts';

/** Default page size. */
const pageSize = 15;

const originOf = (c: Context) => publicOrigin(c, new URL(c.req.url));

/** Calls (interface: "Leads and calls"). */
export function callRoutes(
  routes: Hono<Authenticated>,
  { database, jobs, config }: Pick<AppContext, 'database' | 'jobs' | 'config'>,
): void {
  mountOperation(routes, endpoints.makeCall, async ({ c, database, userId, body, markAsUnchanged }) => {
    const keyed = readIdempotencyKey(c, `calls of ${userId}`, body);
    const { id, isRepeat } = await makeCall({ database, jobs, rules: config.calls }, userId, body, keyed);
    if (isRepeat) markAsUnchanged();
    return { message: 'The call is being made.', data: {}, call_id: id, status: 'initiated' };
  });
  mountOperation(routes, endpoints.listCalls, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, calls } = await listCalls(database, userId, query, page, originOf(c));
    return paginate(c, page, total, calls);
  });
  mountOperation(routes, endpoints.readCall, ({ c, userId, id }) =>
    readCall(database, { id: id(), userId }, originOf(c)),
  );
  mountOperation(routes, endpoints.deleteCall, async ({ database, userId, id }) => {
    await deleteCall({ database, jobs }, { id: id(), userId });
    return { message: 'Call deleted successfully.' };
  });
}
