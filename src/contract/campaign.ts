import * as z from 'zod/mini';
import {
  nonBlankText,
  flag,
  id,
  ids,
  integer,
  list,
  nullish,
  patternText,
  timeZone,
} from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './answer-fields.ts';

/* Campaigns: lists of leads for an outbound assistant to call (interface: "Leads and calls"). */

const { name, variables, campaign: limit } = recordLimits;

/** Values of `allowed_days`. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** A campaign. The fields after `updated_at` are our additions: no other operation returns them. */
export const Campaign = z.looseObject({
  id: z.int(),
  name: z.string(),
  /** `draft`, `in-progress`, `stopped` or `completed`. */
  status: z.string(),
  max_calls_in_parallel: z.int(),
  mark_complete_when_no_leads: z.boolean(),
  allowed_hours_start_time: z.string(),
  allowed_hours_end_time: z.string(),
  allowed_days: z.array(z.string()),
  max_retries: z.int(),
  /** Minutes. */
  retry_interval: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  assistant_id: z.int(),
  timezone: z.string(),
  retry_on_voicemail: z.boolean(),
  retry_on_goal_incomplete: z.boolean(),
  goal_completion_variable: z.nullable(z.string()),
  phone_number_ids: z.array(z.int()),
  /** Reason why the service stopped the campaign, such as `insufficient-balance`; null if it did not. */
  stop_reason: z.nullable(z.string()),
});
export type Campaign = z.infer<typeof Campaign>;

const timeOfDay = () => patternText(/^([01]\d|2[0-3]):[0-5]\d$/, 'must match the format H:i, such as 09:30.');

/** Body of `POST /user/campaigns`. */
export const CreateCampaignRequest = z.object({
  name: nonBlankText(name),
  assistant_id: id(),
  ...nullish({
    timezone: timeZone(),
    max_calls_in_parallel: integer(limit.callsInParallel),
    allowed_hours_start_time: timeOfDay(),
    allowed_hours_end_time: timeOfDay(),
    allowed_days: list(z.enum(weekdays), weekdays.length).check(
      z.refine((days) => days.length > 0, 'must name at least one day.'),
    ),
    max_retries: integer(limit.retries),
    retry_interval: integer(limit.retryInterval),
    retry_on_voicemail: flag(),
    retry_on_goal_incomplete: flag(),
    goal_completion_variable: nonBlankText(variables.nameCharacters),
    mark_complete_when_no_leads: flag(),
    phone_number_ids: ids(),
  }),
});
export type CreateCampaignRequest = z.infer<typeof CreateCampaignRequest>;

export const listCampaigns = ownerEndpoint({
  summary: 'Lists the campaigns, oldest first.',
  method: 'GET',
  path: '/api/user/campaigns',
  scope: 'read',
  response: z.array(Campaign),
});

export const createCampaign = ownerEndpoint({
  summary: 'Creates a campaign as a draft.',
  method: 'POST',
  path: '/api/user/campaigns',
  scope: 'write',
  changes: 'campaign',
  request: CreateCampaignRequest,
  response: messageWith(Campaign),
  success: 201,
  refusals: [404],
});

export const updateCampaignStatus = ownerEndpoint({
  summary: 'Starts or stops a campaign.',
  method: 'POST',
  path: '/api/user/campaigns/update-status',
  scope: 'calls',
  changes: 'campaign',
  request: z.object({ campaign_id: id(), action: z.enum(['start', 'stop']) }),
  response: z.looseObject({
    message: z.string(),
    success: z.boolean(),
    data: z.looseObject({ campaign_id: z.int(), status: z.string() }),
  }),
  refusals: [400, 404],
});

export const deleteCampaign = ownerEndpoint({
  summary: 'Deletes a campaign with its leads. Its calls are kept.',
  method: 'DELETE',
  path: '/api/user/campaign/:id',
  scope: 'write',
  changes: 'campaign',
  response: Message,
});
