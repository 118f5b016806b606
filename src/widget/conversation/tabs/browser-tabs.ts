import { newKey } from '../sending/new-key.ts';
import { sleep } from '../sending/sleep.ts';
import type { TabChannel, TabMessage } from './tab-channel.ts';

/*
 * The channel between tabs that show the same conversation, over BroadcastChannel. Loaded once there is a second tab.
 * Without BroadcastChannel, tabs share only the stored state, through storage events, and no chunks of answers.
 */

/** Milliseconds to wait for a tab's response to a ping, in browsers without locks. */
const pingTimeout = 2000;

/** Milliseconds that a tab's first lock request may take. */
const lockTimeout = 500;

/** A check whether a tab is open, in browsers without locks, and its response. */
type Ping = { readonly type: 'ping'; readonly tab: string } | { readonly type: 'pong'; readonly tab: string };

/** Identifies this page, since it may contain several chats. */
const page = newKey();

/**
 * Opens the channel.
 *
 * @param name the key of the storage item that the tabs share
 * @param ownTab returns the name of this tab while it has messages to send
 */
export function connectTabs(name: string, ownTab: () => string | undefined): TabChannel {
  const locks = (navigator as { locks?: LockManager }).locks; // On secure pages only.
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined;
  const responding = new Set<string>();
  const open = new AbortController();
  const { signal } = open;

  /** Whether a tab responds. */
  const isOpenTab = async (tab: string): Promise<boolean> => {
    responding.delete(tab);
    channel?.postMessage({ type: 'ping', tab });
    await sleep(pingTimeout, signal);
    return responding.has(tab);
  };

  return {
    post: (message) => {
      channel?.postMessage({ ...message, page });
    },
    listen: (onMessage) => {
      if (!channel) return;
      channel.onmessage = ({ data }: MessageEvent<(TabMessage & { readonly page: string }) | Ping>) => {
        if (data.type === 'pong') responding.add(data.tab);
        else if (data.type !== 'ping') onMessage(data, data.page === page);
        else if (data.tab === ownTab()) channel.postMessage({ type: 'pong', tab: data.tab });
      };
    },
    close: () => {
      channel?.close();
      open.abort();
    },
    onTabClosed: async (tab, onlyNow, claim) => {
      if (locks) {
        const options = onlyNow ? { ifAvailable: true } : { signal };
        const acquire = (onAcquired?: () => void): Promise<boolean> =>
          locks.request(`${name}:${tab}`, options, (lock) => {
            if (lock) onAcquired?.();
            return lock !== null;
          });
        if (onlyNow) return acquire(claim);
        // A tab requests its lock when it begins to send; this request may have overtaken that one.
        await acquire();
        await sleep(lockTimeout, signal);
        return acquire(claim);
      }
      while (await isOpenTab(tab)) if (onlyNow) return false;
      claim();
      return true;
    },
  };
}
