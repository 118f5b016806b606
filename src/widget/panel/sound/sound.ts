import { countReceived } from '../../conversation/snapshot.ts';
import type { AddOn, AddOnReach } from '../add-on.ts';
import { isMuted } from '../sound-switch.ts';
import { playTone } from './play-tone.ts';

/** Makes a soft sound for what comes while the visitor is elsewhere: behind a closed panel, or in another tab. */
export function start({ host, container, storage }: AddOnReach): AddOn {
  let context: AudioContext | undefined;
  let conversationId: string | undefined;
  let heard = 0;

  // Browsers let a page sound only after a person has touched it; some only if it got ready at that moment.
  const prepare = (): void => {
    if (context !== undefined || !host.element.sound) return;
    try {
      context = new AudioContext();
      // It holds no device while there is nothing to hear.
      context.suspend().catch(() => undefined);
    } catch {
      // Nothing to sound with.
    }
  };
  // They end with the shadow root that they are on.
  for (const type of ['pointerdown', 'keydown']) host.root.addEventListener(type, prepare);

  return {
    follow: ({ snapshot }) => {
      const before = heard;
      heard = countReceived(snapshot.messages);
      const isSame = snapshot.conversationId === conversationId;
      conversationId = snapshot.conversationId;
      // What an opened conversation begins with is no news.
      if (!isSame || heard <= before || (!container.hidden && !document.hidden) || isMuted(storage)) return;
      if (navigator.userActivation.hasBeenActive) prepare();
      if (context !== undefined) playTone(context);
    },
    stop: () => {
      void context?.close();
      context = undefined;
    },
  };
}
