import type { Snapshot } from '../conversation/snapshot.ts';
import type { LazyModules } from './modules/lazy-modules.ts';
import { isMarkdown } from './message-log.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';

/** Loads the modules that a conversation needs now or soon. */
export function loadNeeded(
  modules: LazyModules,
  { suggestions }: VoiceAssistantChat,
  { aiEnabled, problem, messages, unread }: Snapshot,
): void {
  if (unread > 0 || messages.length > 1 || problem || !aiEnabled || suggestions)
    void modules.load('messaging');
}

/** Loads the Markdown module if a message contains any. */
export async function loadMarkdown(modules: LazyModules, { messages }: Snapshot): Promise<void> {
  if (messages.some(isMarkdown)) await modules.load('markdown');
}

/** Whether every module that renders these messages has loaded, or cannot be loaded now. */
export function hasModules(modules: LazyModules, { messages }: Snapshot): boolean {
  return modules.isSettled('messaging') && (modules.isSettled('markdown') || !messages.some(isMarkdown));
}
