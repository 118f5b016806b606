import { ChatClient } from '../../client/chat-client.ts';
import type { PanelInput } from '../shell/panel-input.ts';
import { ConversationStore } from '../state/conversation-store.ts';
import { Conversation, type ConversationListener } from '../state/conversation.ts';
import { newKey } from '../state/new-key.ts';
import type { ChatOptions } from './options.ts';
import type { VisitStorage } from './visit-storage.ts';

/** Makes the conversation of one assistant, one service and one type, with what the browser has for it. */
export function createConversation(
  storage: VisitStorage,
  idProblem: () => PanelInput['idProblem'],
  options: () => ChatOptions,
  listener: ConversationListener,
): Conversation {
  const { assistantId, baseUrl, type } = options();
  const world = {
    client: new ChatClient({ baseUrl }),
    store: new ConversationStore(storage, `${baseUrl}:${assistantId ?? ''}:${type}`),
    now: () => Date.now(),
    isOnline: () => navigator.onLine,
    newKey,
  };
  return new Conversation(world, () => ({ ...options(), idProblem: idProblem() }), listener);
}
