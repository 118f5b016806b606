import { newKey } from '../sending/new-key.ts';
import { sleep } from '../sending/sleep.ts';
import type { TabChannel, TabMessage } from './tab-channel.ts';

/*
 * The tabs of this browser that show a conversation, by BroadcastChannel. Loaded with a second tab. Where a browser has
 * no such channel, the storage events that brought the second tab to light tell of all that is kept, and pieces of
 * answers are not told.
 */

/** How long a tab may take to say that it is there, milliseconds; asked where there are no locks. */
const patience = 2000;

/** How long a tab may take to get a lock that nobody has, milliseconds: its first one takes a while. */
const lockPatience = 500;

/** Between tabs that know no locks: whether one is there, and that it is. */
type Question =
  { readonly type: 'asked'; readonly tab: string } | { readonly type: 'here'; readonly tab: string };

/** Tells the chats of this page from those of others. */
const page = newKey();

/**
 * @param name of the entry in storage that the tabs share
 * @param ownTab this one, while it has something to send
 */
export function connectTabs(name: string, ownTab: () => string | undefined): TabChannel {
  const locks = (navigator as { locks?: LockManager }).locks; // On secure pages only.
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined;
  const here = new Set<string>();
  const open = new AbortController();
  const { signal } = open;

  /** Whether a tab answers. */
  const isThere = async (tab: string): Promise<boolean> => {
    here.delete(tab);
    channel?.postMessage({ type: 'asked', tab });
    await sleep(patience, signal);
    return here.has(tab);
  };

  return {
    post: (message) => {
      channel?.postMessage({ ...message, page });
    },
    listen: (hear) => {
      if (!channel) return;
      channel.onmessage = ({ data }: MessageEvent<(TabMessage & { readonly page: string }) | Question>) => {
        if (data.type === 'here') here.add(data.tab);
        else if (data.type !== 'asked') hear(data, data.page === page);
        else if (data.tab === ownTab()) channel.postMessage({ type: 'here', tab: data.tab });
      };
    },
    close: () => {
      channel?.close();
      open.abort();
    },
    whenGone: async (tab, isAsked, takeOver) => {
      if (locks) {
        const options = isAsked ? { ifAvailable: true } : { signal };
        const take = (taken: () => void): Promise<boolean> =>
          locks.request(`${name}:${tab}`, options, (lock) => {
            if (lock) taken();
            return lock !== null;
          });
        if (isAsked) return take(takeOver);
        // A tab asks for its lock when it begins to send, and this request may have overtaken that one.
        await take(() => undefined);
        await sleep(lockPatience, signal);
        return take(takeOver);
      }
      while (await isThere(tab)) if (isAsked) return false;
      takeOver();
      return true;
    },
  };
}
