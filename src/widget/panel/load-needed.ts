import type { Snapshot } from '../conversation/snapshot.ts';
import type { LateParts } from './late-parts.ts';
import { isMarkdown } from './message-log.ts';
import type { ChatOptions } from './options.ts';

/** Loads the parts that a conversation needs by now, or will soon. */
export function loadNeeded(
  late: LateParts,
  { suggestions, type }: ChatOptions,
  { aiEnabled, problem, messages, unread }: Snapshot,
): void {
  if (type === 'test') void late.load('inspector');
  if (unread > 0 || messages.length > 1) void late.load('reading');
  // Also before anything fails: when the connection does, it can no longer be loaded.
  if (problem ?? messages.length > 1) void late.load('problems');
  if (!aiEnabled || suggestions) void late.load('aboveComposer');
}

/** Loads what draws Markdown, if there is any. */
export async function loadMarkdown(late: LateParts, { messages }: Snapshot): Promise<void> {
  if (messages.some(isMarkdown)) await late.load('markdown');
}
