import type { VisitStorage } from '../conversation/storage/visit-storage.ts';

const key = 'voice-assistant-chat:sound';

/** Whether the visitor has switched the sound off. */
export function isMuted(storage: VisitStorage): boolean {
  return storage.getItem(key) === 'off';
}

export function setMuted(storage: VisitStorage, muted: boolean): void {
  storage.setItem(key, muted ? 'off' : '');
}
