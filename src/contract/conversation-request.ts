import * as z from 'zod/mini';
import { objectOf } from './fields.ts';
import { ClientTools, ToolResults } from './client-tool-request.ts';
import { countCharacters, limits } from './limits.ts';

/*
 * Requests of the conversation operations (interface: "Text conversations"): exact, because the service validates
 * with them. Apart from the answers, because a browser needs only those and pays for every byte.
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
const NamedValues = z
  .record(
    z.string().check(z.refine((name) => countCharacters(name) <= variableLimits.nameCharacters)),
    VariableValue,
    {
      // A record reports a bad name as its own issue, and a name can be bad in one way only.
      error: (issue) =>
        issue.code === 'invalid_key'
          ? `variables: a name may have at most ${variableLimits.nameCharacters} characters`
          : 'variables must be an object',
    },
  )
  .check(
    z.refine(
      (all) => Object.keys(all).length <= variableLimits.count,
      `variables: at most ${variableLimits.count} are allowed`,
    ),
  );

/** The same, also as `[]` when there are none. */
export const Variables = objectOf(NamedValues);
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

/** Query of `GET /conversations/{uuid}`. */
export const ResumeConversationQuery = z.object({
  /** The `earlier_cursor` of an answer: what was said before that. */
  before: z.optional(z.string()),
});

/** A message's text, whoever writes it. */
const MessageText = z
  .string({
    error: (issue) =>
      issue.input === undefined || issue.input === null ? 'message is required' : 'message must be a string',
  })
  .check(
    z.refine((text) => text.trim() !== '', { error: 'message is required', abort: true }),
    z.refine((text) => !text.includes('\0'), 'message must not contain null characters'),
    z.refine(
      (text) => countCharacters(text) <= messageLimit.max,
      `message may have at most ${messageLimit.max} characters`,
    ),
  );

/** Body of `POST /conversations/{uuid}/messages`. All but the message are our additions. */
export const SendMessageRequest = z.object(
  {
    message: MessageText,
    /** Laid over the conversation's. */
    variables: z.nullish(Variables),
    client_tools: z.nullish(ClientTools),
    tool_results: z.nullish(ToolResults),
  },
  { error: 'the body must be a JSON object' },
);
export type SendMessageRequest = z.infer<typeof SendMessageRequest>;

/** Body of `POST /user/conversations/{uuid}/messages`: what a person says in the assistant's place. */
export const WriteMessageRequest = z.object(
  { message: MessageText },
  { error: 'the body must be a JSON object' },
);
export type WriteMessageRequest = z.infer<typeof WriteMessageRequest>;
