import type { TabSource } from './tab-channel.ts';

/**
 * Notices another tab by what it writes to an entry of the storage that tabs share, and has the browser tell the others
 * when this one is gone.
 *
 * @param newKey gives an unguessable name
 */
export function tabSource(name: string, newKey: () => string): TabSource {
  let tab: string | undefined;
  let release: (() => void) | undefined;
  return {
    tab: () => tab,
    hold: () => {
      if (tab) return;
      tab = newKey();
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      // On secure pages only.
      (navigator as { locks?: LockManager }).locks
        ?.request(`${name}:${tab}`, () => released)
        .catch(() => undefined);
    },
    release: () => {
      tab = undefined;
      release?.();
    },
    watch: (onWrite) => {
      const onStorage = ({ key }: StorageEvent): void => {
        if (key === name || key === null) onWrite();
      };
      addEventListener('storage', onStorage);
      return () => {
        removeEventListener('storage', onStorage);
      };
    },
    connect: () => import('./browser-tabs.ts').then(({ connectTabs }) => connectTabs(name, () => tab)),
  };
}
