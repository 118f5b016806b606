import * as z from 'zod/mini';
import { prepareSchemas } from './prepare-schemas.ts';

/*
 * The conversation endpoints as a visitor's browser uses them (interface: "Text conversations"). Answers are read
 * liberally, because the widget also talks to other services of this interface: unknown fields pass, unknown roles and
 * malformed function calls fall back. `conversation.ts` describes exactly what our service accepts and answers. The
 * endpoints of messages are in `messaging-endpoints.ts`.
 */

prepareSchemas();

/**
 * Any object, without `__proto__`, which would replace the prototype of an object it is copied to. Not `looseObject`:
 * that copies what a page has added to `Object.prototype`.
 */
const AnyObject = z.unknown().check(({ value, issues }) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    issues.push({ code: 'custom', input: value, message: 'is not an object' });
  else Reflect.deleteProperty(value, '__proto__');
}) as unknown as z.ZodMiniType<Record<string, unknown>>;

const ToolCall = z.looseObject({
  name: z.string(),
  arguments: z.catch(AnyObject, {}),
});

/** A tool call during an answer. */
export type FunctionCall = z.infer<typeof ToolCall> & {
  /** Absent while the call runs. */
  readonly result?: unknown;
  /** Whether the page has to run the call and send its result with the next message. */
  readonly client?: boolean;
};
// Without schemas of the further fields, which every page would load.
export const FunctionCall = ToolCall as unknown as z.ZodMiniType<FunctionCall>;

export const FunctionCalls = z.catch(z.array(FunctionCall), []);

/**
 * Undefined where the value is absent or invalid. `z.catch` accepts absent values too, so `z.optional` would only add
 * code that every page loads.
 */
const ifValid = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.catch(schema, undefined as never) as unknown as z.ZodMiniOptional<Schema>;

/** Our additions are absent from other services' answers. */
export const Flag = ifValid(z.literal([true, false]));

/** The events that entries with the role `system` report. Our addition. */
export const historyEvents = ['person_joined', 'person_left', 'handed_over', 'call_ended', 'ended'] as const;
export type HistoryEvent = (typeof historyEvents)[number];

/**
 * One entry of a conversation's history, oldest first. `system` reports events such as a human handoff. Other services
 * also return tool results as `tool` or `function`; they are for the model, not for the visitor.
 */
export const HistoryItem = z.looseObject({
  role: z.catch(z.literal(['assistant', 'user', 'system', 'tool', 'function']), 'system'),
  content: z.catch(z.string(), ''),
  function_calls: FunctionCalls,
  event: ifValid(z.literal(historyEvents)),
  /** A number: seconds, with the event `call_ended`. Not checked: every page would load zod's code for numbers. */
  duration: ifValid(z.unknown()),
  /** The name of the person who wrote it instead of the assistant. */
  author: ifValid(z.string()),
  /** ISO 8601, UTC. */
  created_at: ifValid(z.string()),
});
export type HistoryItem = z.infer<typeof HistoryItem>;

const unreadable: HistoryItem[] = [];

/** Some services omit it, or send null, if the assistant has no initial message. Any other value must be a list. */
const History = z
  .catch(z.array(HistoryItem), ({ value }) => (value == null ? [] : unreadable))
  .check(({ value, issues }) => {
    if (value === unreadable)
      issues.push({ code: 'custom', input: value, message: 'is not a list of messages' });
  });

/** Response of `POST /conversations`. */
export const OpenedConversation = z.looseObject({
  status: z.literal(true),
  // Not `minLength`: that alone would load zod's code for all checks into every page.
  conversation_id: z.string().check(({ value, issues }) => {
    if (value === '') issues.push({ code: 'custom', input: value, message: 'is empty' });
  }),
  history: History,
  /** The cursor at which the events after this answer begin: `?after=` of the event stream. */
  events_cursor: ifValid(z.string()),
});
export type OpenedConversation = z.infer<typeof OpenedConversation>;

/** Response of `GET /conversations/{uuid}`. */
export const Conversation = z.looseObject({
  status: z.literal(true),
  history: History,
  /** Present if there are earlier entries: the value of `?before=` that returns them. */
  earlier_cursor: ifValid(z.string()),
  /** Empty if absent or malformed. */
  variables: z.catch(AnyObject, {}),
  /** False while a person has taken over. */
  ai_enabled: Flag,
  /** True if the conversation accepts no more messages. */
  ended: Flag,
  /** The cursor at which the events after this answer begin: `?after=` of the event stream. */
  events_cursor: ifValid(z.string()),
});
export type Conversation = z.infer<typeof Conversation>;

/** Response of operations that return no data. */
export const Done = z.looseObject({ status: z.literal(true) });

/*
 * `:name` segments of a path are its parameters. Readers decide by the body whether a request has succeeded, because the
 * statuses of other services differ.
 */

/** Opens a text conversation with an assistant. Needs no key: the assistant is identified by its public UUID. */
export const openConversation = {
  method: 'POST',
  path: '/api/conversations',
  response: OpenedConversation,
} as const;

/**
 * Reads the latest part of a conversation's history, or with `?before=` and an `earlier_cursor` the part before it. The
 * UUID is the capability, so it must not appear in logs, titles or referrers.
 */
export const resumeConversation = {
  method: 'GET',
  path: '/api/conversations/:uuid',
  response: Conversation,
} as const;
