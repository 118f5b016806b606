import type { Hono } from 'hono';
import * as endpoints from '../../contract/campaign.ts';
import { createCampaign, listCampaigns } from '../campaign/campaign.ts';
import { changeCampaignStatus } from '../campaign/change-campaign-status.ts';
import { checkCampaign } from '../campaign/check-campaign.ts';
import { deleteCampaign } from '../campaign/delete-campaign.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { Refusal } from '../lib/refusal.ts';

/** Campaigns (interface: "Leads and calls"). */
export function campaignRoutes(routes: Hono<Authenticated>, database: Database, jobs: Jobs): void {
  mountOperation(routes, endpoints.listCampaigns, ({ userId }) => listCampaigns(database, userId));
  mountOperation(
    routes,
    endpoints.createCampaign,
    async ({ database, userId, body }) => ({
      message: 'Campaign created successfully.',
      data: await createCampaign(database, userId, body),
    }),
    (fields, { userId }) => checkCampaign(database, userId, fields),
  );
  mountOperation(
    routes,
    endpoints.updateCampaignStatus,
    async ({ database, userId, body, markAsUnchanged }) => {
      const owned = { id: body.campaign_id, userId };
      const { status, isChanged } = await changeCampaignStatus({ database, jobs }, owned, body.action);
      if (!isChanged) markAsUnchanged();
      return {
        message: 'Campaign status updated successfully.',
        success: true,
        data: { campaign_id: owned.id, status },
      };
    },
    (_, { errors: { action } }) => {
      if (action) throw new Refusal(400, { success: false, message: 'The action must be start or stop.' });
      return Promise.resolve({});
    },
  );
  mountOperation(routes, endpoints.deleteCampaign, async ({ database, userId, id }) => {
    await deleteCampaign({ database, jobs }, { id: id(), userId });
    return { message: 'Campaign deleted successfully.' };
  });
}
