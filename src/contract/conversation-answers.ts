import * as z from 'zod/mini';
import { timestamp } from './record-answers.ts';

/*
 * Answers of the conversation operations as our service writes them: exact, for its documentation and its tests. Browsers
 * read the same liberally, because they also talk to other services (`conversation.ts`).
 */

/** A tool that was called during an answer. */
export const CalledFunction = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Absent while the call runs, and from calls that the page runs. */
  result: z.optional(z.unknown()),
  /** Ours: the page is asked to run it, and to send the result with its next message. */
  client: z.optional(z.literal(true)),
});

/** One line of a conversation, oldest first. */
export const HistoryLine = z.looseObject({
  /** `system` reports events, such as a person taking over. */
  role: z.enum(['assistant', 'user', 'system']),
  content: z.string(),
  function_calls: z.optional(z.array(CalledFunction)),
  created_at: timestamp,
});

/** Answer of `POST /conversations`. */
export const NewConversation = z.looseObject({
  status: z.literal(true),
  conversation_id: z.uuid(),
  history: z.array(HistoryLine),
});

/** Answer of `GET /conversations/{uuid}`. */
export const ReadConversation = z.looseObject({
  status: z.literal(true),
  history: z.array(HistoryLine),
  /** What `before` gives the lines before these for; absent where there are none. */
  earlier_cursor: z.optional(z.string()),
  variables: z.nullable(z.record(z.string(), z.unknown())),
  /** False while a person has taken over. */
  ai_enabled: z.boolean(),
  /** Whether it takes no more messages. */
  ended: z.boolean(),
});

/** Answer of `POST /conversations/{uuid}/messages`, and data of the stream's `done` event. */
export const MessageAnswer = z.looseObject({
  status: z.literal(true),
  message: z.string(),
  function_calls: z.array(CalledFunction),
  ai_enabled: z.boolean(),
  /** There once the assistant has ended the conversation for good. */
  ended: z.optional(z.literal(true)),
});

/** Answer of `GET /assistants/{uuid}/widget`. */
export const PublicAssistant = z.looseObject({
  status: z.literal(true),
  data: z.looseObject({
    name: z.string(),
    /** Two-letter code (ISO 639-1). */
    language: z.string(),
    widget_settings: z.looseObject({
      theme: z.optional(z.string()),
      color: z.optional(z.string()),
      position: z.optional(z.string()),
    }),
  }),
});
