import type { TabSource } from './tab-channel.ts';

/**
 * Runs a task as soon as no other tab that shares the storage runs one of that name.
 *
 * @param task rejects only if the signal aborts
 * @throws {DOMException} `AbortError` if the signal aborts before its turn
 */
export async function runInOneTab(
  { name, isShared }: Pick<TabSource, 'name' | 'isShared'>,
  taskName: string,
  signal: AbortSignal,
  task: () => Promise<void>,
): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks || !isShared()) return task();
  return locks.request(`${name}:${taskName}`, { signal }, task).catch(() => {
    signal.throwIfAborted();
    // The browser refuses locks, for example to a page whose cookies are blocked.
    return task();
  });
}
