/** Characters that a voice says in a second at normal speed. */
const charactersPerSecond = 15;

/** Seconds that it takes to say something, to a tenth. */
export function speakingTime(text: string, speed = 1): number {
  return Math.max(0.5, Math.round((text.length / charactersPerSecond / speed) * 10) / 10);
}
