import type { ClientTool, ToolResult } from '../contract/client-tool.ts';
import type {
  AnsweredMessage,
  Conversation,
  FunctionCall,
  OpenedConversation,
} from '../contract/chat-endpoints.ts';
import type { OpenConversationRequest } from '../contract/conversation.ts';
import { sendMessage } from '../contract/chat-endpoints.ts';
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
import { requestDeletion, requestStop, type DeletionOptions } from './ending.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';
import { readEarlier } from './read-earlier.ts';
import { streamMessage } from './stream-message.ts';

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
  /** `GET /assistants/{uuid}/widget`: an addition of our service; others answer `assistant-not-found`. */
  readWidget(uuid: string, options: RequestOptions = {}): Promise<AssistantWidget> {
    return this.json(readAssistantWidget, { ...options, uuid }, 'assistant-not-found');
  }

  /**
   * `GET /conversations/{uuid}?before=`: what was said before what an answer holds, for its `earlier_cursor`. An
   * addition of our service; others leave that out, and know no more than they gave.
   */
  readEarlier(uuid: string, cursor: string, options: RequestOptions = {}): Promise<Conversation> {
    return readEarlier(this, uuid, cursor, options);
  }

  /** `POST /conversations/{uuid}/messages`: sends a message and waits for the whole answer. */
  sendMessage(uuid: string, message: string, options: MessageOptions = {}): Promise<AnsweredMessage> {
    const call = { ...options, uuid, body: messageBody(message, options) };
    return this.json(sendMessage, call, 'conversation-not-found', this.answerPatience);
  }

  /**
   * The same, and reports the answer while it grows. A service without streaming answers with JSON; then the listeners
   * are not called, and the whole answer comes at the end.
   */
  streamMessage(
    uuid: string,
    message: string,
    listeners: StreamListeners,
    options: MessageOptions = {},
  ): Promise<AnsweredMessage> {
    return streamMessage(this, uuid, message, listeners, options);
  }

  /**
   * `POST /conversations/{uuid}/stop`: ends the reply under way, wherever it is written; what it has said so far
   * becomes the answer. Well also where there is no reply, no conversation, or no such operation.
   */
  stopReply(uuid: string, options: RequestOptions = {}): Promise<void> {
    return requestStop(this, uuid, options);
  }

  /** `DELETE /conversations/{uuid}`: forgets the conversation. Well also where it is gone already. */
  deleteConversation(uuid: string, options: DeletionOptions = {}): Promise<void> {
    return requestDeletion(this, uuid, options);
  }
}
