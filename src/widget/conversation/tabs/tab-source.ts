import { newKey } from '../sending/new-key.ts';
import type { TabSource } from './tab-channel.ts';

/** Access to other tabs by the browser's storage events and, on secure pages, the Web Locks API. */
export function tabSource(name: string, isShared: () => boolean): TabSource {
  let tab: string | undefined;
  let release: (() => void) | undefined;
  const { locks } = navigator as { locks?: LockManager };
  return {
    name,
    isShared,
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
      // Browsers report writes only to other pages, so chats on one page find each other by an event of this name. A page
      // that was left and is shown again has missed them.
      const types = ['storage', 'pageshow', name];
      const listener = (event: Event): void => {
        // Another chat's event has no key, nor has the storage event if all of the storage was deleted.
        const { key, newValue, persisted } = event as Partial<StorageEvent & PageTransitionEvent>;
        if ((key ?? name) !== name || persisted === false) return;
        event.preventDefault();
        onWrite(event.type === name, newValue);
      };
      // Later: the caller gets the unsubscribe function first.
      if (!dispatchEvent(new Event(name, { cancelable: true }))) setTimeout(onWrite, 0, true);
      for (const type of types) addEventListener(type, listener);
      return () => {
        for (const type of types) removeEventListener(type, listener);
      };
    },
    connect: ({ connectTabs }) => connectTabs(name, () => tab),
  };
}
