import type { Snapshot } from '../conversation/snapshot.ts';
import type { LazyModules } from './modules/lazy-modules.ts';
import { isMarkdown } from './message-log.ts';
import type { ChatOptions } from './options.ts';

/** Loads the modules that a conversation needs now or soon. */
export function loadNeeded(
  modules: LazyModules,
  { suggestions, type }: ChatOptions,
  { aiEnabled, problem, messages, unread }: Snapshot,
): void {
  if (type === 'test') void modules.load('builder');
  if (unread > 0 || messages.length > 1 || problem || !aiEnabled || suggestions) void modules.load('talk');
}

/** Loads the Markdown module if a message contains any. */
export async function loadMarkdown(modules: LazyModules, { messages }: Snapshot): Promise<void> {
  if (messages.some(isMarkdown)) await modules.load('markdown');
}

/** Whether every module that renders these messages has loaded, or cannot be loaded now. */
export function hasModules(modules: LazyModules, { messages }: Snapshot): boolean {
  return modules.isSettled('talk') && (modules.isSettled('markdown') || !messages.some(isMarkdown));
}
