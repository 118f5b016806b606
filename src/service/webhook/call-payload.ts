import type { CallWebhook } from '../../contract/webhook.ts';
import type { StoredVariables } from '../db/schema.ts';
import { zonedTimestamp } from './zoned-timestamp.ts';

/** A call that has ended. Timestamps are ISO 8601. */
export interface WebhookCall {
  id: number;
  /** UUID of the conversation of a web call. */
  conversationUuid: string | null;
  clientPhoneNumber: string;
  assistantPhoneNumber: string;
  duration: number;
  status: string;
  timezone: string;
  inputVariables: StoredVariables;
  extractedVariables: StoredVariables;
  transcript: string;
  recordingUrl: string | null;
  createdAt: string;
  endedAt: string;
  lead: CallWebhook['lead'];
  campaign: CallWebhook['campaign'];
}

/** Builds the body of the webhook after a call. */
export function callPayload(call: WebhookCall, includeRecording: boolean): CallWebhook {
  return {
    id: call.id,
    ...(call.conversationUuid !== null && { conversation_id: call.conversationUuid }),
    customer_phone: call.clientPhoneNumber,
    assistant_phone: call.assistantPhoneNumber,
    duration: call.duration,
    status: call.status,
    extracted_variables: call.extractedVariables,
    input_variables: call.inputVariables,
    transcript: call.transcript,
    ...(includeRecording && { recording_url: call.recordingUrl }),
    created_at: zonedTimestamp(call.createdAt, call.timezone),
    finished_at: zonedTimestamp(call.endedAt, call.timezone),
    lead: call.lead && inZone(call.lead, call.timezone),
    campaign: call.campaign && inZone(call.campaign, call.timezone),
  };
}

const inZone = <Dated extends { created_at: string; updated_at: string }>(record: Dated, zone: string) => ({
  ...record,
  created_at: zonedTimestamp(record.created_at, zone),
  updated_at: zonedTimestamp(record.updated_at, zone),
});
