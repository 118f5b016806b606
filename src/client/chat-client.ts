import type { ClientTool, ToolResult } from '../contract/client-tool-request.ts';
import type {
  AnsweredMessage,
  Conversation,
  FunctionCall,
  OpenedConversation,
} from '../contract/conversation.ts';
import type { OpenConversationRequest } from '../contract/conversation-request.ts';
import { readAssistantWidget, sendMessage } from '../contract/endpoints.ts';
import type { AssistantWidget } from '../contract/widget-settings.ts';
import {
  ConversationClient,
  messageBody,
  type ChatClientOptions,
  type MessageOptions,
  type RequestOptions,
  type StreamListeners,
} from './conversation-client.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';

export { ChatError, type ChatErrorCode };
export type {
  AnsweredMessage,
  AssistantWidget,
  ChatClientOptions,
  ClientTool,
  Conversation,
  ConversationClient,
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

  /** `POST /conversations/{uuid}/messages`: sends a message and waits for the whole answer. */
  sendMessage(uuid: string, message: string, options: MessageOptions = {}): Promise<AnsweredMessage> {
    const call = { ...options, uuid, body: messageBody(message, options) };
    return this.json(sendMessage, call, 'conversation-not-found', this.answerPatience);
  }
}
