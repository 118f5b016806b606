import * as z from 'zod/mini';
import { ownerEndpoint } from './owner-endpoint.ts';
import { calendarDate } from './request-fields.ts';

/* The usage of language models by the owner's assistants. Our addition. */

/** The usage of one model by one assistant. */
export const ModelUsage = z.looseObject({
  /** UUID. */
  assistant_id: z.string(),
  assistant_name: z.string(),
  /** Its name at the provider. */
  model: z.string(),
  replies: z.int(),
  evaluations: z.int(),
  /** Of what visitors and customers said in calls. */
  transcriptions: z.int(),
  /** Seconds of the sound whose transcription has no tokens. */
  transcribed_seconds: z.number(),
  /** As the model reported them, or an estimate from the length of the texts. */
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** USD that the operator pays for the tokens; null if it is unknown, because the model had no price. */
  cost: z.nullable(z.number()),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

/** Query of `GET /user/model-usage`. Days in UTC, both inclusive; all by default. */
export const ModelUsageQuery = z.object({
  date_from: z.optional(calendarDate()),
  date_to: z.optional(calendarDate()),
});

export const listModelUsage = ownerEndpoint({
  summary:
    "Lists the tokens that each assistant's replies, evaluations and transcriptions used of each model, and their cost. Our addition.",
  method: 'GET',
  path: '/api/user/model-usage',
  scope: 'read',
  query: ModelUsageQuery,
  response: z.looseObject({ data: z.array(ModelUsage) }),
});
