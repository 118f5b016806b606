import type { OpenConversationRequest } from '../../client/chat-client.ts';
import type { ChatClient, Conversation } from '../../client/chat-client.ts';
import type { Problem, ProblemCode } from './problem.ts';

/** Which assistant, and how it is asked. */
export interface SessionRequest {
  /** As the site wrote it. */
  readonly assistantId: string | null;
  /** Why that cannot be an assistant's, if it cannot. */
  readonly idProblem: 'missing' | 'malformed' | undefined;
  readonly type: 'widget' | 'test';
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

export interface Session {
  readonly conversationId: string;
  readonly history: NonNullable<Conversation['history']>;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** The site's tag asks for something that no service would accept; found out without a request. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
  readonly problem: Problem;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/**
 * Opens a conversation with an assistant.
 *
 * @param idempotencyKey the same for every try, so that a lost answer does not leave a second conversation behind
 * @throws {InvalidRequestError} when the request cannot be right
 * @throws {ChatError} when the service refuses or does not answer
 */
export async function openSession(
  client: ChatClient,
  { assistantId, idProblem, type, variables }: SessionRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Session> {
  if (idProblem !== undefined) {
    throw new InvalidRequestError(
      `assistant-id-${idProblem}`,
      idProblem === 'missing'
        ? 'This chat has no assistant.'
        : `“${assistantId}” is not the ID of an assistant.`,
    );
  }
  const request = {
    assistant_id: assistantId,
    type,
    ...(variables && { variables }),
  } as OpenConversationRequest;
  const opened = await client.openConversation(request, { idempotencyKey, signal });
  return { conversationId: opened.conversation_id, history: opened.history ?? [], variables: undefined };
}

/** Goes on with a conversation of an earlier visit. */
export async function resumeSession(
  client: ChatClient,
  conversationId: string,
  signal: AbortSignal,
): Promise<Session> {
  const { history, variables } = await client.resumeConversation(conversationId, { signal });
  return { conversationId, history: history ?? [], variables };
}
