import { ConversationClient } from '../../client/conversation-client.ts';
import type { SessionRequest } from '../conversation/history/request-conversation.ts';
import { ConversationStore } from '../conversation/storage/conversation-store.ts';
import { PendingDeletions } from '../conversation/storage/pending-deletions.ts';
import { Conversation, type ConversationListener } from '../conversation/conversation.ts';
import { newKey } from '../conversation/sending/new-key.ts';
import { tabSource } from '../conversation/tabs/tab-source.ts';
import type { ChatOptions } from './options.ts';
import type { LazyModules } from './modules/lazy-modules.ts';
import type { VisitStorage } from '../conversation/storage/visit-storage.ts';
import { idle } from '../element/when-idle.ts';

/** Identifies a conversation: if any of these change, the panel switches to another conversation. */
export function identityOf(options: ChatOptions): string {
  const { baseUrl, assistantId, type, userKey, keepFor } = options;
  return JSON.stringify([baseUrl, assistantId, type, userKey, keepFor, subjectOf(options)]);
}

/**
 * The user of a user token, unverified; undefined without one, empty if the token is malformed. A new token of the same
 * user keeps the conversation. Preview tokens have no user.
 */
function subjectOf({ type, userToken }: ChatOptions): string | undefined {
  if (!userToken || type === 'test') return undefined;
  try {
    const payload = (userToken.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (byte) => byte.charCodeAt(0));
    const { sub } = JSON.parse(new TextDecoder().decode(bytes)) as { sub?: unknown };
    // Encoded, so that no subject can contain the separator of the stored conversation's name.
    return encodeURIComponent(String(sub));
  } catch {
    return '';
  }
}

/** Creates the conversation of one assistant, service and type from the state stored in the browser. */
export function createConversation(
  storage: VisitStorage,
  modules: LazyModules,
  options: () => ChatOptions & SessionRequest,
  listener: ConversationListener,
): Conversation {
  const { assistantId, baseUrl, type, userKey, keepFor } = options();
  const client = new ConversationClient({ baseUrl });
  const subject = subjectOf(options());
  const owner = subject === undefined ? type : `${type}-verified:${subject}`;
  const name = [baseUrl, assistantId ?? '', owner, ...(userKey ? [userKey] : [])].join(':');
  const loadMessaging = () => modules.import('messaging');
  // Not `storage`, which `forget()` may empty by revoking the consent: the next visit must request the deletion again.
  const deletionStorage = (): Storage | undefined => {
    try {
      // `noneStorage` does not exist.
      return globalThis[`${options().persist}Storage` as 'localStorage'];
    } catch {
      // Blocked by the browser's settings.
      return undefined;
    }
  };
  const store = new ConversationStore(storage, name, keepFor);
  const environment = {
    client,
    store,
    pendingDeletions: new PendingDeletions(client, deletionStorage, baseUrl, loadMessaging),
    now: () => Date.now(),
    isOnline: () => navigator.onLine,
    newKey,
    loadMessaging,
    idle,
    tabs: tabSource(store.key, () => options().persist === 'local'),
  };
  return new Conversation(environment, options, listener);
}
