import * as z from 'zod/mini';
import { paginated, timestamp } from './answer-fields.ts';
import { ownerEndpoint, recordKinds } from './owner-endpoint.ts';
import { calendarDate, pageQuery } from './request-fields.ts';

/* The audit log: changes by API keys and the command line. Our addition. */

export type { RecordKind } from './owner-endpoint.ts';

/** An entry of the audit log. It contains neither contents nor secrets. */
export const AuditLogEntry = z.looseObject({
  id: z.int(),
  created_at: timestamp,
  actor: z.enum(['api-key', 'command-line']),
  /** The key as it was at that time; null for the command line. */
  api_key: z.nullable(z.looseObject({ id: z.int(), name: z.string() })),
  /** The address of the client; null for the command line. */
  address: z.nullable(z.string()),
  /** The operation, as `operationId` of the OpenAPI document, or the command, such as `keys create`. */
  operation: z.string(),
  /** The kind of the changed record. */
  object: z.enum(recordKinds),
  /** The id of the record; of a conversation, its UUID. Null if an account has only one such record. */
  object_id: z.nullable(z.string()),
});

/** Query of `GET /user/audit-log`. */
export const AuditLogQuery = z.object({
  date_from: z.optional(calendarDate()),
  date_to: z.optional(calendarDate()),
  ...pageQuery,
});
export type AuditLogQuery = z.infer<typeof AuditLogQuery>;

export const listAuditLog = ownerEndpoint({
  summary: 'Lists the changes by API keys and the command line, newest first, in pages. Our addition.',
  method: 'GET',
  path: '/api/user/audit-log',
  scope: 'read',
  query: AuditLogQuery,
  response: paginated(AuditLogEntry),
});
