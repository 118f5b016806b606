/** The background sounds that an assistant can have. */
export const ambientSounds = ['office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'] as const;

export interface AmbientSound {
  name: (typeof ambientSounds)[number];
  /** Above 0, at most 1. */
  volume: number;
}

/** Returns an assistant's background sound; undefined for none. */
export function ambientSoundOf(name: string, volume: number): AmbientSound | undefined {
  const known = ambientSounds.find((sound) => sound === name);
  return known && volume > 0 ? { name: known, volume } : undefined;
}
