import type {
  ConversationClient,
  ClientTool,
  Conversation,
  OpenConversationRequest,
} from '../../../client/chat-client.ts';
import { InvalidRequestError, type Problem } from '../problem.ts';

/** Which assistant, and how it is asked. */
export interface SessionRequest {
  /** As the site wrote it. */
  readonly assistantId: string | null;
  /** Why that cannot be an assistant's, if it cannot. */
  readonly idProblem: 'missing' | 'malformed' | undefined;
  readonly type: 'widget' | 'test';
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** What the page wants the assistant to know: further variables, below those of the tag. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** Functions of the page that the assistant may ask for, offered with every message; what knows them may still be on its way. */
  readonly clientTools?: Promise<readonly ClientTool[] | undefined> | undefined;
}

/** A conversation as the service has it. */
export interface Session {
  readonly history: NonNullable<Conversation['history']>;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** False while a person has taken over. */
  readonly aiEnabled: boolean;
  /** Set where it takes no more messages. */
  readonly ended: Problem | undefined;
  /** Set where the history is only the end of what was said. */
  readonly earlier?: Earlier | undefined;
}

/** What a service answered that has more of a history than it gave. One object for as long as the conversation shows. */
export type Earlier = Pick<Conversation, 'earlier_cursor'>;

/** Why it takes no more messages. */
export const hasEnded: Problem = { code: 'conversation-ended', message: 'The conversation has ended.' };

/** All that the page says to the assistant; undefined if it says nothing. */
export function variablesOf({ context, variables }: SessionRequest): SessionRequest['variables'] {
  return context ? { ...context, ...variables } : variables;
}

/**
 * Opens a conversation with an assistant.
 *
 * @param idempotencyKey the same for every try, so that a lost answer does not leave a second conversation behind
 * @throws {InvalidRequestError} when the request cannot be right
 * @throws {ChatError} when the service refuses or does not answer
 */
export async function openSession(
  client: ConversationClient,
  request: SessionRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<[conversationId: string, session: Session]> {
  const { assistantId, idProblem, type } = request;
  if (idProblem !== undefined) {
    throw new InvalidRequestError(
      `assistant-id-${idProblem}`,
      idProblem === 'missing'
        ? 'This chat has no assistant.'
        : `“${assistantId}” is not the ID of an assistant.`,
    );
  }
  const variables = variablesOf(request);
  const body = {
    assistant_id: assistantId,
    type,
    ...(variables && { variables }),
  } as OpenConversationRequest;
  const { conversation_id, history } = await client.openConversation(body, { idempotencyKey, signal });
  return [conversation_id, { history, variables: undefined, aiEnabled: true, ended: undefined }];
}

/** Reads a conversation that was opened before. */
export async function readSession(
  client: ConversationClient,
  conversationId: string,
  signal?: AbortSignal,
): Promise<Session> {
  const read = await client.resumeConversation(conversationId, { signal });
  return {
    history: read.history,
    variables: read.variables,
    aiEnabled: read.ai_enabled ?? true,
    earlier: read.earlier_cursor ? read : undefined,
    ended: read.ended ? hasEnded : undefined,
  };
}
