import type { VisitStorage } from './visit-storage.ts';

const key = 'voice-assistant-chat:sound';

/** Whether the visitor has switched the sound off. */
export function isMuted(storage: VisitStorage): boolean {
  try {
    return storage.getItem(key) === 'off';
  } catch {
    return false;
  }
}

export function setMuted(storage: VisitStorage, muted: boolean): void {
  try {
    if (muted) storage.setItem(key, 'off');
    else storage.removeItem(key);
  } catch {
    // Storage is full or blocked: the setting lasts until the page is left.
  }
}
