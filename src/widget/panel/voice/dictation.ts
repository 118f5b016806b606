import { createRecognition, type Recognition } from './recognition.ts';
import type { VoiceTrouble } from './voice-trouble.ts';

export interface DictationListener {
  /** What was understood so far, the guesses included. */
  readonly onText: (text: string) => void;
  /** Something is heard, or no longer. */
  readonly onSound: (isHeard: boolean) => void;
  /** It is over. Not called after `abort`. */
  readonly onEnd: (trouble: VoiceTrouble | undefined) => void;
}

/** What the visitor says, as text. */
export interface Dictation {
  /** Waits for the rest of what was said, and ends. */
  readonly finish: () => void;
  /** Ends at once. */
  readonly abort: () => void;
}

/** What the errors of the standard mean for the visitor. */
const troubles: Readonly<Record<string, VoiceTrouble>> = {
  'not-allowed': 'noMicrophone',
  'service-not-allowed': 'noMicrophone',
  'audio-capture': 'noMicrophone',
  'no-speech': 'notUnderstood',
};

/** Writing systems that put no space between words. */
const isUnspaced = (language: string): boolean => /^(?:zh|ja|th|lo|km|my)\b/i.test(language);

/** Begins to listen; undefined where the browser cannot. */
export function dictate(language: string, listener: DictationListener): Dictation | undefined {
  const recognition = createRecognition();
  if (recognition === undefined) return undefined;
  let text = '';
  let trouble: VoiceTrouble | undefined;
  Object.assign(recognition, { lang: language, continuous: true, interimResults: true });
  recognition.onsoundstart = () => {
    listener.onSound(true);
  };
  recognition.onsoundend = () => {
    listener.onSound(false);
  };
  recognition.onresult = ({ results }) => {
    const pieces = Array.from(results, (result) => result[0]?.transcript.trim() ?? '');
    text = pieces.filter(Boolean).join(isUnspaced(language) ? '' : ' ');
    if (text !== '') listener.onText(text);
  };
  recognition.onerror = ({ error }) => {
    trouble = troubles[error] ?? 'impossible';
  };
  recognition.onend = () => {
    letGo(recognition);
    const isFine = text !== '' && trouble !== 'noMicrophone';
    listener.onEnd(isFine ? undefined : (trouble ?? 'notUnderstood'));
  };
  try {
    recognition.start();
  } catch {
    letGo(recognition);
    return undefined;
  }
  return {
    finish: () => {
      recognition.stop();
    },
    abort: () => {
      letGo(recognition);
      recognition.abort();
    },
  };
}

function letGo(recognition: Recognition): void {
  recognition.onsoundstart = recognition.onsoundend = recognition.onend = null;
  recognition.onresult = recognition.onerror = null;
}
