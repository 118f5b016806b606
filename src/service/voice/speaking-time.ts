/** Characters per second at normal speed. */
const pace = { letters: 15, syllables: 4.5, digits: 3 };

const syllables = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const digits = /\p{Nd}/gu;

/** Estimates the duration of speech in seconds, rounded to a tenth. */
export function speakingTime(text: string, speed = 1): number {
  return Math.max(0.5, Math.round(exactSpeakingTime(text, speed) * 10) / 10);
}

/** Estimates the duration of a part of speech in seconds. */
export function exactSpeakingTime(text: string, speed = 1): number {
  const syllableCount = text.match(syllables)?.length ?? 0;
  const digitCount = text.match(digits)?.length ?? 0;
  const letterCount = text.length - syllableCount - digitCount;
  return (letterCount / pace.letters + syllableCount / pace.syllables + digitCount / pace.digits) / speed;
}
