import * as z from 'zod/mini';
import {
  calendarDate,
  partialPhoneNumber,
  flag,
  id,
  list,
  nullish,
  pageQuery,
  phoneNumber,
  variablesField,
} from './request-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, paginated, plainTimestamp } from './answer-fields.ts';

/* Leads: people to call in a campaign (interface: "Leads and calls"). */

/** Statuses of a lead. */
export const leadStatuses = [
  'created',
  'scheduled',
  'processing',
  'completed',
  'rescheduled',
  'reached-max-retries',
  'blacklisted',
] as const;

const variables = z.record(z.string(), z.unknown());

/** A lead with its campaign and its secondary contacts. */
export const Lead = z.looseObject({
  id: z.int(),
  campaign_id: z.int(),
  phone_number: z.string(),
  variables,
  status: z.string(),
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
  campaign: z.looseObject({ id: z.int(), name: z.string() }),
  secondary_contacts: z.array(
    z.looseObject({
      id: z.int(),
      phone_number: z.string(),
      variables,
      status: z.string(),
      created_at: plainTimestamp,
      updated_at: plainTimestamp,
    }),
  ),
});
export type Lead = z.infer<typeof Lead>;

/** Body of `POST /user/lead`. */
export const CreateLeadRequest = z.object({
  phone_number: phoneNumber(),
  campaign_id: id(),
  ...nullish({
    variables: variablesField(),
    /** The interface's spelling. */
    allow_dupplicate: flag(),
    secondary_contacts: list(
      z.object({ phone_number: phoneNumber(), variables: z.nullish(variablesField()) }),
    ),
  }),
});
export type CreateLeadRequest = z.infer<typeof CreateLeadRequest>;

/** Body of `PUT /user/leads/{id}`: only the given fields change; variables are merged. */
export const UpdateLeadRequest = z.object({
  campaign_id: z.optional(id()),
  phone_number: z.optional(phoneNumber()),
  status: z.optional(z.enum(['created', 'completed', 'reached-max-retries'])),
  variables: z.nullish(variablesField()),
  /** As for creation. Our addition. */
  allow_dupplicate: z.nullish(flag()),
});
export type UpdateLeadRequest = z.infer<typeof UpdateLeadRequest>;

/** Query of `GET /user/leads`. */
export const LeadsQuery = z.object({
  status: z.optional(z.enum(leadStatuses)),
  campaign_id: z.optional(id()),
  phone_number: z.optional(partialPhoneNumber()),
  date_from: z.optional(calendarDate()),
  date_to: z.optional(calendarDate()),
  ...pageQuery,
});
export type LeadsQuery = z.infer<typeof LeadsQuery>;

export const createLead = ownerEndpoint({
  summary: 'Adds a lead to a campaign.',
  method: 'POST',
  path: '/api/user/lead',
  scope: 'calls',
  changes: 'lead',
  request: CreateLeadRequest,
  response: messageWith(Lead),
});

export const listLeads = ownerEndpoint({
  summary: 'Lists the leads that match all given filters, newest first, in pages.',
  method: 'GET',
  path: '/api/user/leads',
  scope: 'read',
  query: LeadsQuery,
  response: paginated(Lead),
});

export const updateLead = ownerEndpoint({
  summary: 'Changes the given fields of a lead.',
  method: 'PUT',
  path: '/api/user/leads/:id',
  scope: 'calls',
  changes: 'lead',
  aliases: ['/api/leads/:id'],
  request: UpdateLeadRequest,
  response: messageWith(Lead),
});

export const deleteLead = ownerEndpoint({
  summary: 'Deletes a lead with its secondary contacts.',
  method: 'DELETE',
  path: '/api/user/leads/:id',
  scope: 'write',
  changes: 'lead',
  response: Message,
});
