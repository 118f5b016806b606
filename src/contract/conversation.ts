import * as z from 'zod/mini';
import { countCharacters, limits } from './limits.ts';

/*
 * Conversations: text chats with an assistant (interface: "Text conversations"). Requests are exact, because the
 * service validates with them; answers are read liberally, because the widget also talks to other services of this
 * interface: unknown fields pass, unknown roles and odd function calls fall back.
 */

const { message: messageLimit, variables: variableLimits } = limits;

/** What may stand in a variable. Anything but text is written into the prompt as JSON. */
const VariableValue = z.json().check(
  z.refine((value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return countCharacters(text) <= variableLimits.valueCharacters;
  }, `variables: a value may have at most ${variableLimits.valueCharacters} characters`),
);

/** Key/value pairs for `{{variable_name}}` in the system prompt and the initial message. */
export const Variables = z
  .record(
    z
      .string()
      .check(
        z.refine(
          (name) => countCharacters(name) <= variableLimits.nameCharacters,
          `variables: a name may have at most ${variableLimits.nameCharacters} characters`,
        ),
      ),
    VariableValue,
    { error: 'variables must be an object' },
  )
  .check(
    z.refine(
      (all) => Object.keys(all).length <= variableLimits.count,
      `variables: at most ${variableLimits.count} are allowed`,
    ),
  );
export type Variables = z.infer<typeof Variables>;

/** `widget` is billed, `test` is free. */
export const ConversationType = z.enum(['widget', 'test'], { error: 'type must be widget or test' });
export type ConversationType = z.infer<typeof ConversationType>;

/** Body of `POST /conversations`. `null` stands for an absent optional field, as JSON clients often send it. */
export const OpenConversationRequest = z.object(
  {
    assistant_id: z.guid({
      error: (issue) =>
        issue.input === undefined || issue.input === null
          ? 'assistant_id is required'
          : 'assistant_id must be a UUID',
    }),
    type: z._default(z.nullish(ConversationType), 'widget'),
    variables: z.nullish(Variables),
  },
  { error: 'the body must be a JSON object' },
);
export type OpenConversationRequest = z.input<typeof OpenConversationRequest>;

/** Body of `POST /conversations/{uuid}/messages`. */
export const SendMessageRequest = z.object(
  {
    message: z
      .string({
        error: (issue) =>
          issue.input === undefined || issue.input === null
            ? 'message is required'
            : 'message must be a string',
      })
      .check(
        z.refine((text) => text.trim() !== '', { error: 'message is required', abort: true }),
        z.refine((text) => !text.includes('\0'), 'message must not contain null characters'),
        z.refine(
          (text) => countCharacters(text) <= messageLimit.max,
          `message may have at most ${messageLimit.max} characters`,
        ),
      ),
  },
  { error: 'the body must be a JSON object' },
);
export type SendMessageRequest = z.infer<typeof SendMessageRequest>;

/** One call of a tool during an answer. `result` is absent while the call runs. */
export const FunctionCall = z.looseObject({
  name: z.string(),
  arguments: z.catch(z.record(z.string(), z.unknown()), {}),
  result: z.optional(z.unknown()),
});
export type FunctionCall = z.infer<typeof FunctionCall>;

const FunctionCalls = z.catch(z.array(FunctionCall), []);

/** One line of a conversation's history, oldest first. `system` reports events, such as a person taking over. */
export const HistoryItem = z.looseObject({
  role: z.catch(z.enum(['assistant', 'user', 'system']), 'system'),
  content: z.catch(z.string(), ''),
  function_calls: z.optional(FunctionCalls),
});
export type HistoryItem = z.infer<typeof HistoryItem>;

const History = z._default(z.nullish(z.array(HistoryItem)), []);

/** Answer of `POST /conversations`. */
export const OpenedConversation = z.looseObject({
  status: z.literal(true),
  conversation_id: z.string().check(z.minLength(1)),
  history: History,
});
export type OpenedConversation = z.infer<typeof OpenedConversation>;

/** Answer of `GET /conversations/{uuid}`. */
export const Conversation = z.looseObject({
  status: z.literal(true),
  history: History,
  variables: z.catch(z.nullish(z.record(z.string(), z.unknown())), null),
});
export type Conversation = z.infer<typeof Conversation>;

/** Answer of `POST /conversations/{uuid}/messages`, and the data of the stream's `done` event. */
export const AnsweredMessage = z.looseObject({
  status: z.literal(true),
  message: z.string(),
  function_calls: FunctionCalls,
});
export type AnsweredMessage = z.infer<typeof AnsweredMessage>;

/** Data of the stream's `delta` event: a further piece of the answer's text. */
export const MessageDelta = z.looseObject({ text: z.string() });
export type MessageDelta = z.infer<typeof MessageDelta>;
