import { newKey } from '../../conversation/sending/new-key.ts';
import { sleep } from '../../conversation/sending/sleep.ts';

/** Milliseconds that the other pages have to object. */
const objectionTimeout = 500;

/** A message between pages, with the key of a claim. */
type Claim = { readonly claimed: string } | { readonly refused: string };

/**
 * Reserves names for this page among all that are open in the browser, until it closes, so that only one of several tabs
 * answers a tool call.
 */
export class TabClaims {
  readonly #claimed = new Set<string>();

  /** Returns false if another page has reserved the name. */
  async claim(name: string): Promise<boolean> {
    if (this.#claimed.has(name)) return true;
    const { locks } = navigator as { locks?: LockManager }; // On secure pages only.
    const isFree = await (locks ? claimByLock(locks, name) : claimByChannel(name));
    if (isFree) this.#claimed.add(name);
    return isFree;
  }
}

/** Holds a lock until the page closes. */
const claimByLock = (locks: LockManager, name: string): Promise<boolean> =>
  new Promise((resolve) => {
    const onLock = (lock: Lock | null): Promise<void> | undefined => {
      resolve(lock !== null);
      return lock ? new Promise(() => undefined) : undefined;
    };
    locks.request(name, { ifAvailable: true }, onLock).catch(() => {
      resolve(true);
    });
  });

/** Of several pages that claim a name at the same time, the one with the lowest key gets it. */
async function claimByChannel(name: string): Promise<boolean> {
  if (!('BroadcastChannel' in globalThis)) return true;
  const key = newKey();
  const channel = new BroadcastChannel(name);
  let isReserved = false;
  const taken = new Promise<true>((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<Claim>) => {
      if ('claimed' in data) {
        const hasPriority = isReserved || key < data.claimed;
        if (hasPriority) channel.postMessage({ refused: data.claimed });
        else resolve(true);
      } else if (data.refused === key) resolve(true);
    };
  });
  channel.postMessage({ claimed: key });
  const timeout = sleep(objectionTimeout, new AbortController().signal).then(() => false);
  isReserved = !(await Promise.race([taken, timeout]));
  // An open channel refuses later claims.
  if (!isReserved) channel.close();
  return isReserved;
}
