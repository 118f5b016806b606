import type { ConversationProblem } from '../../contract/conversation.ts';
import type { ConversationWebhook } from '../../contract/webhook.ts';
import type { StoredVariables } from '../db/schema.ts';
import { formatTranscript } from '../lib/format-transcript.ts';
import { unixSeconds, zonedTimestamp } from './zoned-timestamp.ts';

/** A conversation that has ended. Timestamps are ISO 8601. */
export interface EndedConversation {
  id: number;
  uuid: string;
  type: string;
  assistantUuid: string;
  timezone: string;
  inputVariables: StoredVariables;
  extractedVariables: StoredVariables;
  messages: readonly TranscriptMessage[];
  /** Null if there are none. */
  problems: ConversationProblem[] | null;
  createdAt: string;
  endedAt: string;
}

/** A message of the assistant or the visitor. */
export interface TranscriptMessage {
  role: 'assistant' | 'user';
  content: string;
  createdAt: string;
}

/** Builds the body of the webhook after a chat. */
export function conversationPayload(conversation: EndedConversation): ConversationWebhook {
  const { timezone, messages, inputVariables } = conversation;
  return {
    id: conversation.id,
    conversation_id: conversation.uuid,
    assistant_id: conversation.assistantUuid,
    type: conversation.type,
    message_count: messages.length,
    status: 'ended',
    extracted_variables: conversation.extractedVariables,
    input_variables: inputVariables,
    transcript: messages.map(({ role, content, createdAt }) => ({
      role,
      content,
      timestamp: zonedTimestamp(createdAt, timezone),
      timestamp_unix: unixSeconds(createdAt),
    })),
    formatted_transcript: formatTranscript(messages),
    attachments: [],
    customer_phone: null,
    customer_name: customerName(inputVariables),
    sender: null,
    ...(conversation.problems !== null && { problems: conversation.problems }),
    created_at: zonedTimestamp(conversation.createdAt, timezone),
    ended_at: zonedTimestamp(conversation.endedAt, timezone),
  };
}

/** Returns the customer's name from the variables of the page or its form, if there is one. */
export function customerName(variables: StoredVariables): string | null {
  const text = (name: string) => {
    const value = variables[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const whole = [text('customer_name'), text('full_name'), text('name')].find((name) => name !== '');
  const parts = [text('first_name'), text('last_name')].filter((part) => part !== '');
  return whole ?? (parts.length > 0 ? parts.join(' ') : null);
}
