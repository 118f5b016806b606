import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { isMuted } from '../sound-switch.ts';
import { playTone } from './play-tone.ts';

/** Plays a soft sound for answers that arrive while the visitor is elsewhere. */
export function start(panel: PanelContext): AddOn {
  const { element, root } = panel.host;
  let context: AudioContext | undefined;

  // Browsers allow sound only after an interaction; some only if the context was created during it.
  const prepare = (): void => {
    if (context !== undefined || !element.sound) return;
    try {
      context = new AudioContext();
      // A suspended context uses no audio device.
      context.suspend().catch(() => undefined);
    } catch {
      // There is no audio device.
    }
  };
  const announce = (): void => {
    const { isVisible, snapshot } = panel.conversation;
    // The messages of a call are spoken.
    if (!element.isConnected || snapshot.call || isVisible || isMuted(panel.storage)) return;
    if (navigator.userActivation.hasBeenActive) prepare();
    if (context) playTone(context);
  };
  // These listeners are released with the element.
  for (const type of ['pointerdown', 'keydown']) root.addEventListener(type, prepare);
  // Only in the tab that has received the message: the others read it from the history.
  element.addEventListener('chat-message', announce);

  return {
    stop: () => {
      void context?.close();
      context = undefined;
    },
  };
}
