import type { Hono } from 'hono';
import * as endpoints from '../../contract/lead.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';
import { checkLead, createLead, deleteLead, readLead, updateLead } from '../lead/lead.ts';
import { listLeads } from '../lead/list-leads.ts';
import type { AppContext } from './app-context.ts';

/** Default page size (interface: `GET /user/leads`). */
const pageSize = 15;

/** The parts of the service that these routes use. */
type LeadContext = Pick<AppContext, 'database' | 'jobs' | 'config'>;

/** Leads (interface: "Leads and calls"). */
export function leadRoutes(routes: Hono<Authenticated>, context: LeadContext): void {
  const { database, jobs, config } = context;
  mountOperation(
    routes,
    endpoints.createLead,
    async ({ database, userId, body }) => ({
      message: 'Lead created successfully.',
      data: await createLead({ database, jobs }, userId, body),
    }),
    (fields, { userId }) => checkLead(database, userId, fields, config.calls.countries),
  );
  mountOperation(routes, endpoints.listLeads, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, leads } = await listLeads(database, userId, query, page);
    return paginate(c, page, total, leads);
  });
  updateLeadRoute(routes, context);
  mountOperation(routes, endpoints.deleteLead, async ({ database, userId, id }) => {
    await deleteLead({ database, jobs }, { id: id(), userId });
    return { message: 'Lead deleted successfully.' };
  });
}

export function updateLeadRoute(routes: Hono<Authenticated>, { database, jobs, config }: LeadContext): void {
  mountOperation(
    routes,
    endpoints.updateLead,
    async ({ database, userId, id, body }) => ({
      message: 'Lead updated successfully.',
      data: await updateLead({ database, jobs }, { id: id(), userId }, body),
    }),
    async (fields, { userId, id }) => {
      await readLead(database.db, { id: id(), userId });
      return checkLead(database, userId, fields, config.calls.countries);
    },
  );
}
