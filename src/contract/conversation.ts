import * as z from 'zod/mini';

/*
 * Answers of the conversation operations (interface: "Text conversations"), read liberally, because the widget also
 * talks to other services of this interface: unknown fields pass, unknown roles and odd function calls fall back.
 */

/** One call of a tool during an answer. */
export const FunctionCall = z.looseObject({
  name: z.string(),
  arguments: z.catch(z.looseObject({}), {}),
});
export type FunctionCall = z.infer<typeof FunctionCall> & {
  /** Absent while the call runs. */
  readonly result?: unknown;
  /** Whether the page is asked to run it, which then owes the result to the next message. */
  readonly client?: boolean;
};

const FunctionCalls = z.catch(z.array(FunctionCall), []);

/**
 * Absent where it is absent, and where it is odd. What is caught may always be absent: a schema of `optional` would add
 * nothing but its own machinery, which every page loads.
 */
const ifValid = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.catch(schema, undefined as never) as unknown as z.ZodMiniOptional<Schema>;

/** Our additions are absent from other services' answers. */
const Flag = ifValid(z.literal([true, false]));

/**
 * One line of a conversation's history, oldest first. `system` reports events, such as a person taking over. Other
 * services also give what tools returned, as `tool` or `function`: that is for the model, and nothing to read.
 */
export const HistoryItem = z.looseObject({
  role: z.catch(z.literal(['assistant', 'user', 'system', 'tool', 'function']), 'system'),
  content: z.catch(z.string(), ''),
  function_calls: FunctionCalls,
  /** ISO 8601, UTC. */
  created_at: ifValid(z.string()),
});
export type HistoryItem = z.infer<typeof HistoryItem>;

const unreadable: HistoryItem[] = [];

/** Absent or null where an assistant has no initial message, for some services; anything else but a list is an error. */
const History = z
  .catch(z.array(HistoryItem), ({ value }) => (value == null ? [] : unreadable))
  .check(({ value, issues }) => {
    if (value === unreadable)
      issues.push({ code: 'custom', input: value, message: 'is not a list of messages' });
  });

/** Answer of `POST /conversations`. */
export const OpenedConversation = z.looseObject({
  status: z.literal(true),
  // Not `minLength`: that alone would bring the machinery of all checks into every page.
  conversation_id: z.string().check(({ value, issues }) => {
    if (value === '') issues.push({ code: 'custom', input: value, message: 'is empty' });
  }),
  history: History,
});
export type OpenedConversation = z.infer<typeof OpenedConversation>;

/** Answer of `GET /conversations/{uuid}`. */
export const Conversation = z.looseObject({
  status: z.literal(true),
  history: History,
  /** Where lines are left out before these: what `?before=` gives them for. */
  earlier_cursor: ifValid(z.string()),
  /** Empty where there are none, or odd ones. */
  variables: z.catch(z.looseObject({}), {}),
  /** False while a person has taken over. */
  ai_enabled: Flag,
  /** True for one that takes no more messages. */
  ended: Flag,
});
export type Conversation = z.infer<typeof Conversation>;

/** Answer of `POST /conversations/{uuid}/messages`, and the data of the stream's `done` event. */
export const AnsweredMessage = z.looseObject({
  status: z.literal(true),
  message: z.string(),
  function_calls: FunctionCalls,
  /** False while a person has taken over: the message was stored, and a person answers it or nobody. */
  ai_enabled: Flag,
  /** True for the last answer: the assistant has ended the conversation. */
  ended: Flag,
});
export type AnsweredMessage = z.infer<typeof AnsweredMessage>;

/** Answer of operations that have nothing more to say. */
export const Done = z.looseObject({ status: z.literal(true) });

/** Answer of the operations by which a person takes over and hands back. */
export const AiState = z.looseObject({ status: z.literal(true), ai_enabled: z.boolean() });

/** Data of the stream's `delta` event: a further piece of the answer's text. */
export const MessageDelta = z.looseObject({ text: z.string() });
export type MessageDelta = z.infer<typeof MessageDelta>;
