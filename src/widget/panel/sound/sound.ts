import { countReceived } from '../../conversation/snapshot.ts';
import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { isMuted } from '../sound-switch.ts';
import { playTone } from './play-tone.ts';

/** Plays a soft sound for messages that arrive while the panel is closed or the tab is hidden. */
export function start({ host, storage }: PanelContext): AddOn {
  let context: AudioContext | undefined;
  let conversationId: string | undefined;
  let received = 0;

  // Browsers allow sound only after an interaction; some only if the context was created during it.
  const prepare = (): void => {
    if (context !== undefined || !host.element.sound) return;
    try {
      context = new AudioContext();
      // A suspended context uses no audio device.
      context.suspend().catch(() => undefined);
    } catch {
      // There is no audio device.
    }
  };
  // These listeners are released with the shadow root.
  for (const type of ['pointerdown', 'keydown']) host.root.addEventListener(type, prepare);

  return {
    conversationChanged: ({ snapshot, isVisible }) => {
      const before = received;
      received = countReceived(snapshot.messages);
      const isSame = snapshot.conversationId === conversationId;
      conversationId = snapshot.conversationId;
      // The messages that a conversation opens with make no sound, and those of a call are spoken.
      if (!isSame || received <= before || snapshot.call || isVisible || isMuted(storage)) return;
      if (navigator.userActivation.hasBeenActive) prepare();
      if (context !== undefined) playTone(context);
    },
    stop: () => {
      void context?.close();
      context = undefined;
    },
  };
}
