import type { ConversationWebhook } from '../../contract/webhook.ts';
import type { StoredVariables } from '../db/schema.ts';
import { formatTranscript } from '../lib/transcript.ts';
import { unixSeconds, zonedMoment } from './zoned-moment.ts';

/** A conversation that has ended. Moments are ISO 8601. */
export interface EndedConversation {
  id: number;
  uuid: string;
  type: string;
  assistantUuid: string;
  timezone: string;
  inputVariables: StoredVariables;
  extractedVariables: StoredVariables;
  lines: readonly SaidLine[];
  createdAt: string;
  endedAt: string;
}

/** Something that the assistant or the visitor said. */
export interface SaidLine {
  role: 'assistant' | 'user';
  content: string;
  createdAt: string;
}

/** Body of the webhook after a chat. Announcements, such as of a person who joins, are no part of it. */
export function conversationPayload(conversation: EndedConversation): ConversationWebhook {
  const { timezone, lines, inputVariables } = conversation;
  return {
    id: conversation.id,
    conversation_id: conversation.uuid,
    assistant_id: conversation.assistantUuid,
    type: conversation.type,
    message_count: lines.length,
    status: 'ended',
    extracted_variables: conversation.extractedVariables,
    input_variables: inputVariables,
    transcript: lines.map(({ role, content, createdAt }) => ({
      role,
      content,
      timestamp: zonedMoment(createdAt, timezone),
      timestamp_unix: unixSeconds(createdAt),
    })),
    formatted_transcript: formatTranscript(lines),
    attachments: [],
    customer_phone: null,
    customer_name: nameOf(inputVariables),
    sender: null,
    created_at: zonedMoment(conversation.createdAt, timezone),
    ended_at: zonedMoment(conversation.endedAt, timezone),
  };
}

/** A name that the page's variables or its form gave. */
function nameOf(variables: StoredVariables): string | null {
  const text = (name: string) => {
    const value = variables[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const whole = [text('customer_name'), text('full_name'), text('name')].find((name) => name !== '');
  const parts = [text('first_name'), text('last_name')].filter((part) => part !== '');
  return whole ?? (parts.length > 0 ? parts.join(' ') : null);
}
