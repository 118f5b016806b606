import { Hono } from 'hono';
import { operations } from '../../contract/operations.ts';
import { listAuditLog } from '../audit/audit-log.ts';
import { readSpending, setSpendingLimit as storeSpendingLimit } from '../billing/spending-limit.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';
import type { AppContext } from './app-context.ts';
import { listApiKeys } from '../api-key/api-key.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { blockedNumberRoutes } from './blocked-numbers.ts';
import { callRoutes } from './calls.ts';
import { campaignRoutes } from './campaigns.ts';
import { generateReplyRoutes } from './generate-reply.ts';
import { ownerConversationRoutes } from './owner-conversations.ts';
import { readModelUsage } from '../usage/model-usage.ts';
import { ownerAssistantRoutes } from './owner-assistants.ts';
import { knowledgebaseRoutes } from './knowledgebases.ts';
import { leadRoutes, updateLeadRoute } from './leads.ts';
import { phoneNumberRoutes } from './phone-numbers.ts';
import { toolRoutes } from './tools.ts';
import { webhookRoutes } from './webhooks.ts';

/** Default page size of the audit log. */
const pageSize = 15;

/** Routes of the authenticated user (interface: "Identity and keys"). */
export function userRoutes(context: AppContext): Hono<Authenticated> {
  const { database, jobs } = context;
  const routes = new Hono<Authenticated>();
  routes.get('/me', (c) => {
    const { name, email, balance } = c.get('user');
    return c.json({ name, email, total_balance: Number(balance) });
  });
  routes.get('/api-keys', async (c) =>
    c.json({ api_keys: await listApiKeys(database.db, c.get('user').id) }),
  );
  mountOperation(routes, operations.listAuditLog, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, entries } = await listAuditLog(database, userId, query, page);
    return paginate(c, page, total, entries);
  });
  mountOperation(routes, operations.listModelUsage, async ({ userId, query }) => ({
    data: await readModelUsage(database, userId, query),
  }));
  mountOperation(routes, operations.readSpendingLimit, ({ userId }) => readSpending(database.db, userId));
  mountOperation(routes, operations.setSpendingLimit, ({ database, userId, body }) =>
    storeSpendingLimit(database.db, userId, body.daily_limit),
  );
  ownerConversationRoutes(routes, database);
  generateReplyRoutes(routes, context);
  ownerAssistantRoutes(routes, database, context.config.calls.countries);
  toolRoutes(routes, database);
  phoneNumberRoutes(routes, context);
  knowledgebaseRoutes(routes, database, jobs);
  campaignRoutes(routes, database, jobs);
  leadRoutes(routes, context);
  callRoutes(routes, context);
  blockedNumberRoutes(routes, database);
  webhookRoutes(routes, database, jobs);
  return routes;
}

/** Aliases without `/user` in the path, which published clients use. */
export function aliasRoutes(context: AppContext): Hono<Authenticated> {
  const routes = new Hono<Authenticated>();
  generateReplyRoutes(routes, context);
  updateLeadRoute(routes, context);
  return routes;
}
