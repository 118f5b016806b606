/** Characters per second at normal speed. */
const charactersPerSecond = 15;

/** Estimates the duration of speech in seconds, rounded to a tenth. */
export function speakingTime(text: string, speed = 1): number {
  return Math.max(0.5, Math.round((text.length / charactersPerSecond / speed) * 10) / 10);
}
