import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { isMuted } from '../sound-switch.ts';
import { playTone } from './play-tone.ts';
import { ShownLock } from './shown-lock.ts';

/** Plays a soft sound for answers that arrive while the visitor is elsewhere. */
export function start(panel: PanelContext): AddOn {
  const { element, root } = panel.host;
  const shown = new ShownLock();
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
  const lockName = (): string => `${panel.conversation.snapshot.conversationId}:shown`;
  const update = (): void => {
    document.addEventListener('visibilitychange', update);
    shown.hold((element.open || element.inline) && !document.hidden ? lockName() : undefined);
  };
  const announce = async (): Promise<void> => {
    const { isVisible, snapshot } = panel.conversation;
    // The messages of a call are spoken.
    if (!element.sound || !element.isConnected || snapshot.call || isVisible || isMuted(panel.storage))
      return;
    if (navigator.userActivation.hasBeenActive) prepare();
    if ((await shown.isFree(lockName())) && context !== undefined) playTone(context);
  };
  // These listeners are released with the element.
  for (const type of ['pointerdown', 'keydown']) root.addEventListener(type, prepare);
  // Only in the tab that has received the message: the others read it from the history.
  element.addEventListener('chat-message', () => void announce());

  return {
    update,
    conversationChanged: update,
    stop: () => {
      document.removeEventListener('visibilitychange', update);
      shown.hold();
      void context?.close();
      context = undefined;
    },
  };
}
