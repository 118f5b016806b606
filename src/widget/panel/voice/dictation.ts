import { createRecognition, type Recognition } from './speech-recognition.ts';
import type { VoiceProblem } from './voice-problem.ts';

export interface DictationListener {
  /** Takes the text so far, including interim results. */
  readonly onText: (text: string) => void;
  /** Sound started or stopped. */
  readonly onSound: (isAudible: boolean) => void;
  /** Dictation ended. Not called after `abort`. */
  readonly onEnd: (problem: VoiceProblem | undefined) => void;
}

/** A dictation in progress. */
export interface Dictation {
  /** Waits for the final results, and ends. */
  readonly finish: () => void;
  /** Ends immediately. */
  readonly abort: () => void;
}

/** The text key for each error code of the Web Speech API. */
const problems: Readonly<Record<string, VoiceProblem>> = {
  'not-allowed': 'noMicrophone',
  'service-not-allowed': 'noMicrophone',
  'audio-capture': 'noMicrophone',
  'no-speech': 'notUnderstood',
};

/** What separates phrases: some languages are written without spaces between words. */
export const separatorIn = (language: string): string =>
  /^(?:zh|ja|th|lo|km|my)\b/i.test(language) ? '' : ' ';

/** Whether this is Android, where another app recognizes speech. */
export const isAndroid = (): boolean => /Android/.test(navigator.userAgent);

/** Whether the next phrase does not repeat this one: Chrome for Android reports "two", "two hats" as final results. */
function isNotRepeated(phrase: string, at: number, phrases: readonly string[]): boolean {
  const next = phrases[at + 1]?.toLowerCase();
  return !isAndroid() || !next?.startsWith(phrase.toLowerCase());
}

/** Starts dictation. Returns undefined if the browser does not support it. */
export function dictate(language: string, listener: DictationListener): Dictation | undefined {
  const recognition = createRecognition();
  if (recognition === undefined) return undefined;
  let text = '';
  let problem: VoiceProblem | undefined;
  Object.assign(recognition, { lang: language, continuous: true, interimResults: true });
  recognition.onsoundstart = () => {
    listener.onSound(true);
  };
  recognition.onsoundend = () => {
    listener.onSound(false);
  };
  recognition.onresult = ({ results }) => {
    const phrases = Array.from(results).map((result) => result[0]?.transcript.trim() ?? '');
    text = phrases.filter(Boolean).filter(isNotRepeated).join(separatorIn(language));
    if (text !== '') listener.onText(text);
  };
  recognition.onerror = ({ error }) => {
    problem = problems[error] ?? 'impossible';
  };
  recognition.onend = () => {
    release(recognition);
    const isFine = text !== '' && problem !== 'noMicrophone';
    listener.onEnd(isFine ? undefined : (problem ?? 'notUnderstood'));
  };
  try {
    recognition.start();
  } catch {
    release(recognition);
    return undefined;
  }
  return {
    finish: () => {
      recognition.stop();
    },
    abort: () => {
      release(recognition);
      recognition.abort();
    },
  };
}

function release(recognition: Recognition): void {
  recognition.onsoundstart = recognition.onsoundend = recognition.onend = null;
  recognition.onresult = recognition.onerror = null;
}
