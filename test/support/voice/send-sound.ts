import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserPeer } from './browser-peer.ts';

/**
 * Sends packets in the order and after the delays (in milliseconds) of a plan, with 20 ms between two. Each has its own
 * time, since delays of a busy machine would add up.
 */
export async function sendSound(
  browser: BrowserPeer,
  samples: Int16Array,
  delayOf: (index: number) => number | undefined = () => 0,
): Promise<void> {
  const start = performance.now();
  const sent = browser
    .packets(samples)
    .map((packet, index) => ({ packet, delay: delayOf(index), at: index * 20 + (delayOf(index) ?? 0) }))
    .filter(({ delay }) => delay !== undefined)
    .toSorted((a, b) => a.at - b.at);
  for (const { packet, at } of sent) {
    await pause(Math.max(0, at - (performance.now() - start)));
    browser.sendPacket(packet);
  }
}
