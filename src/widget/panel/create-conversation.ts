import { ConversationClient } from '../../client/conversation-client.ts';
import type { PanelInput } from '../element/panel-input.ts';
import { ConversationStore } from '../conversation/storage/conversation-store.ts';
import { Forgotten } from '../conversation/storage/forgotten.ts';
import { Conversation, type ConversationListener } from '../conversation/conversation.ts';
import { newKey } from '../conversation/sending/new-key.ts';
import { tabSource } from '../conversation/tabs/tab-source.ts';
import type { ChatOptions } from './options.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import type { VisitStorage } from './visit-storage.ts';
import { whenIdle } from './when-idle.ts';

/** Identifies a conversation: if any of these change, the panel switches to another conversation. */
export function identityOf({ baseUrl, assistantId, type, userKey, keepFor }: ChatOptions): string {
  return JSON.stringify([baseUrl, assistantId, type, userKey, keepFor]);
}

/** Creates the conversation of one assistant, service and type from the state stored in the browser. */
export function createConversation(
  storage: VisitStorage,
  modules: LazyModules,
  options: () => ChatOptions & Pick<PanelInput, 'idProblem'>,
  listener: ConversationListener,
): Conversation {
  const { assistantId, baseUrl, type, userKey, keepFor } = options();
  const client = new ConversationClient({ baseUrl });
  const name = [baseUrl, assistantId ?? '', type, ...(userKey ? [userKey] : [])].join(':');
  const loadSending = () => modules.import('talk');
  const environment = {
    client,
    store: new ConversationStore(storage, name, keepFor),
    forgotten: new Forgotten(client, storage, baseUrl, loadSending),
    now: () => Date.now(),
    isOnline: () => navigator.onLine,
    newKey,
    loadSending,
    whenIdle,
    tabs: tabSource(`voice-assistant-chat:conversation:${name}`, loadSending),
  };
  return new Conversation(environment, options, listener);
}
