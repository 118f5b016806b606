import type {
  ConversationClient,
  ClientTool,
  Conversation,
  OpenConversationRequest,
} from '../../../client/chat-client.ts';
import type { Problem } from '../problem.ts';

/** The assistant to talk to, and the page's data for it. */
export interface SessionRequest {
  /** The attribute as written by the site. */
  readonly assistantId: string | null;
  /** Why the attributes cannot lead to a conversation, if they cannot. */
  readonly setupProblem: 'assistant-id-missing' | 'assistant-id-malformed' | 'base-url-missing' | undefined;
  readonly type: 'widget' | 'test';
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Context of the page: further variables, which those of the tag override. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** The visitor's answers to the page's form, if they were given on this page. They override both. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** Proves who uses the chat. */
  readonly userToken?: string | null;
  /** Whether to open a conversation even if the user has one on another device. */
  readonly isNew?: boolean;
  /** Whether the visitor has to complete the site's gate before a conversation opens. */
  readonly isGateClosed?: boolean;
  /** Page tools that are offered with every message, once the add-ons have loaded. */
  readonly clientTools?: Promise<readonly ClientTool[] | undefined> | undefined;
}

/** A conversation as the service returns it. */
export interface ConversationRecord {
  readonly history: NonNullable<Conversation['history']>;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** False during a human handoff. */
  readonly aiEnabled: boolean;
  /** Set if the conversation accepts no more messages. */
  readonly ended: Problem | undefined;
  /** Set if the history is only the end of the conversation. */
  readonly earlier?: Earlier | undefined;
  /** The cursor at which the events after this record begin; undefined if the service has none. */
  readonly eventsCursor?: string | undefined;
}

/** A response with a cursor for earlier messages. The same object as long as the conversation is shown. */
export type Earlier = Pick<Conversation, 'earlier_cursor'>;

/** The problem of a conversation that accepts no more messages. */
export const hasEnded: Problem = { code: 'conversation-ended', message: 'The conversation has ended.' };

/**
 * All variables that the page sends; undefined if there are none.
 *
 * @param answered names of variables that the service has from the visitor: the page's own are left out
 */
export function variablesOf(
  { context, variables, answers }: SessionRequest,
  answered: readonly string[] = [],
): SessionRequest['variables'] {
  if (!context && !answers && !answered[0]) return variables;
  // JSON leaves out undefined values.
  const own = Object.fromEntries(answered.map((name) => [name, undefined]));
  return { ...context, ...variables, ...own, ...answers };
}

/** The problem of a request that cannot be sent, because the site's tag has an invalid value. */
export function setupProblemOf({ assistantId, setupProblem: code }: SessionRequest): Problem | undefined {
  return (
    code && {
      code,
      message: {
        'assistant-id-missing': 'This chat has no assistant.',
        'assistant-id-malformed': `“${assistantId}” is not the ID of an assistant.`,
        'base-url-missing': 'base-url is missing: set it to the address of the service.',
      }[code],
    }
  );
}

/**
 * Opens a conversation with an assistant.
 *
 * @param idempotencyKey the same for every attempt, so that a lost response does not leave a second conversation
 * @throws {ChatError} if the service refuses or does not answer
 */
export async function openConversation(
  client: ConversationClient,
  request: SessionRequest,
  idempotencyKey: string,
): Promise<[conversationId: string, record: ConversationRecord]> {
  const { assistantId, type, userToken, isNew } = request;
  const variables = variablesOf(request);
  const body = {
    assistant_id: assistantId,
    type,
    ...(variables && { variables }),
    ...(userToken && { user_token: userToken, new_conversation: isNew }),
  } as OpenConversationRequest;
  const opened = await client.openConversation(body, { idempotencyKey });
  const { conversation_id, history, events_cursor: eventsCursor } = opened;
  // The user's conversation from another device: only its record says whether a person has taken over.
  if (userToken && history.some(({ role }) => role === 'user'))
    return [conversation_id, await readConversation(client, conversation_id)];
  return [
    conversation_id,
    { history, variables: undefined, aiEnabled: true, ended: undefined, eventsCursor },
  ];
}

/**
 * Reads a conversation that was opened before.
 *
 * @throws {ChatError} if the service refuses or does not answer
 */
export async function readConversation(
  client: ConversationClient,
  conversationId: string,
  signal?: AbortSignal,
): Promise<ConversationRecord> {
  const read = await client.resumeConversation(conversationId, { signal });
  return {
    history: read.history,
    variables: read.variables,
    aiEnabled: read.ai_enabled ?? true,
    earlier: read.earlier_cursor ? read : undefined,
    ended: read.ended ? hasEnded : undefined,
    eventsCursor: read.events_cursor,
  };
}
