import type { ClientTool, ToolResult } from '../contract/client-tool.ts';
import type { Conversation, FunctionCall, OpenedConversation } from '../contract/chat-endpoints.ts';
import type { OpenConversationRequest } from '../contract/conversation.ts';
import { sendMessage, type AnsweredMessage } from '../contract/messaging-endpoints.ts';
import { readAssistantWidget } from '../contract/widget-settings.ts';
import type { AssistantWidget } from '../contract/widget-settings.ts';
import {
  ConversationClient,
  messageBody,
  type ChatClientOptions,
  type MessageOptions,
  type RequestOptions,
  type StreamListeners,
} from './conversation-client.ts';
import { requestDeletion, requestStop, type DeletionOptions } from './stop-and-delete.ts';
import { ChatError, type ChatErrorCode } from './chat-error.ts';
import { readEarlier } from './read-earlier.ts';
import { withProof } from './with-proof.ts';

export { ChatError, type ChatErrorCode };
export type {
  AnsweredMessage,
  AssistantWidget,
  ChatClientOptions,
  ClientTool,
  Conversation,
  ConversationClient,
  DeletionOptions,
  FunctionCall,
  MessageOptions,
  OpenConversationRequest,
  OpenedConversation,
  RequestOptions,
  StreamListeners,
  ToolResult,
};

/**
 * The conversation operations of the interface, typed. Runs in browsers and in Node. Every method rejects with a
 * {@link ChatError} and with nothing else.
 */
export class ChatClient extends ConversationClient {
  /**
   * `GET /assistants/{uuid}/widget`: returns the public settings of an assistant. An addition of our service; with
   * others it rejects with `assistant-not-found` or `bad-response`.
   */
  readWidget(uuid: string, options: RequestOptions = {}): Promise<AssistantWidget> {
    return this.json(readAssistantWidget, { ...options, uuid });
  }

  /**
   * `GET /conversations/{uuid}?before=`: returns the messages before an earlier response, by its `earlier_cursor`. An
   * addition of our service; others return the whole history at once.
   */
  readEarlier(uuid: string, cursor: string, options: RequestOptions = {}): Promise<Conversation> {
    return readEarlier(this, uuid, cursor, options);
  }

  /** `POST /conversations/{uuid}/messages`: sends a message and waits for the complete answer. */
  sendMessage(uuid: string, message: string, options: MessageOptions = {}): Promise<AnsweredMessage> {
    const send = (proof: string | undefined) => {
      const call = { ...options, uuid, body: messageBody(message, options, proof) };
      return this.json(sendMessage, call, this.answerTimeout);
    };
    return withProof(send, options.signal);
  }

  /**
   * Sends a message and streams the answer. If the service does not support streaming, the listeners are not called;
   * the promise resolves with the complete answer in either case.
   */
  async streamMessage(
    uuid: string,
    message: string,
    listeners: StreamListeners,
    options: MessageOptions = {},
  ): Promise<AnsweredMessage> {
    // The parser of event streams is loaded here, so that the client is small for those who do not stream.
    const { streamMessage } = await import('./stream-message.ts').catch((cause: unknown) => {
      throw new ChatError('network', 'A part of the client could not be loaded.', { cause });
    });
    return streamMessage(this, uuid, message, listeners, options);
  }

  /**
   * `POST /conversations/{uuid}/stop`: stops the current reply; its text so far becomes the answer. Resolves even if no
   * reply is in progress, the conversation does not exist, or the service does not support the operation.
   */
  stopReply(uuid: string, options: RequestOptions = {}): Promise<void> {
    return requestStop(this, uuid, options);
  }

  /** `DELETE /conversations/{uuid}`: deletes the conversation. Resolves even if it does not exist. */
  deleteConversation(uuid: string, options: DeletionOptions = {}): Promise<void> {
    return requestDeletion(this, uuid, options);
  }
}
