import { newKey } from '../sending/new-key.ts';
import type { TabSource } from './tab-channel.ts';

/**
 * Access to other tabs by the browser's storage events and, on secure pages, the Web Locks API.
 *
 * @param name the key of the storage item that the tabs share
 * @param isShared whether the tabs share their storage, and not only its key
 */
export function tabSource(name: string, isShared: () => boolean): TabSource {
  let tab: string | undefined;
  let release: (() => void) | undefined;
  const { locks } = navigator as { locks?: LockManager };
  return {
    tab: () => tab,
    hold: () => {
      if (tab) return;
      tab = newKey();
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      locks?.request(`${name}:${tab}`, () => released).catch(() => undefined);
    },
    release: () => {
      tab = undefined;
      release?.();
    },
    watch: (onWrite) => {
      const onStorage = (event: StorageEvent): void => {
        if (event.key !== name && event.key !== null) return;
        event.preventDefault();
        onWrite(!event.isTrusted);
      };
      // Browsers report writes only to other pages. Chats on one page notify each other once, and connect.
      const isAlone = dispatchEvent(new StorageEvent('storage', { key: name, cancelable: true }));
      // Later: the caller gets the unsubscribe function first.
      if (!isAlone) setTimeout(onWrite, 0, true);
      addEventListener('storage', onStorage);
      return () => {
        removeEventListener('storage', onStorage);
      };
    },
    connect: ({ connectTabs }) => connectTabs(name, () => tab),
    exclusively: async (taskName, signal, task) => {
      if (!locks || !isShared()) return task();
      return locks.request(`${name}:${taskName}`, { signal }, task).catch(() => {
        signal.throwIfAborted();
        // The browser refuses locks, for example to a page whose cookies are blocked.
        return task();
      });
    },
  };
}
