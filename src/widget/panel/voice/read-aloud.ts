import { sentencesOf } from '../reading/new-sentences.ts';
import type { VoiceTrouble } from './voice-trouble.ts';

/** Characters that are spoken in one go: some browsers fall silent in the middle of longer texts. */
const pieceLength = 200;

/** Milliseconds until a browser that says nothing counts as one that cannot speak. */
const patience = 5000;

/**
 * Reads a text aloud. Gives what ends it; undefined where the browser cannot speak.
 *
 * @param onEnd it is over; not called after it was ended
 */
export function readAloud(
  text: string,
  language: string,
  onEnd: (trouble: VoiceTrouble | undefined) => void,
): (() => void) | undefined {
  const synthesis = window.speechSynthesis as SpeechSynthesis | undefined;
  const pieces = piecesOf(text, language);
  if (synthesis === undefined || pieces.length === 0) return undefined;
  const voice = bestVoice(synthesis.getVoices(), language);
  const utterances = pieces.map((piece) => {
    const utterance = new SpeechSynthesisUtterance(piece);
    utterance.lang = language;
    if (voice !== undefined) utterance.voice = voice;
    return utterance;
  });
  const letGo = (): void => {
    clearTimeout(timer);
    for (const utterance of utterances) utterance.onstart = utterance.onend = utterance.onerror = null;
    synthesis.cancel();
  };
  const end = (trouble?: VoiceTrouble): void => {
    letGo();
    onEnd(trouble);
  };
  const timer = setTimeout(end, patience, 'impossible');
  for (const utterance of utterances) {
    utterance.onstart = () => {
      clearTimeout(timer);
    };
    utterance.onerror = ({ error }) => {
      // Something else on the page began to speak, or ended all speech.
      end(error === 'canceled' || error === 'interrupted' ? undefined : 'impossible');
    };
  }
  const [last] = utterances.slice(-1);
  if (last !== undefined)
    last.onend = () => {
      end();
    };
  synthesis.cancel();
  for (const utterance of utterances) synthesis.speak(utterance);
  return letGo;
}

/** Sentences, as many together as can be spoken in one go. */
function piecesOf(text: string, language: string): string[] {
  const pieces: string[] = [];
  for (const sentence of sentencesOf(text, language)) {
    const last = pieces.at(-1) ?? '';
    if (last !== '' && last.length + sentence.length <= pieceLength)
      pieces[pieces.length - 1] = last + sentence;
    else pieces.push(sentence);
  }
  return pieces.map((piece) => piece.trim()).filter(Boolean);
}

/** A voice of the language and country, else of the language; rather the browser's own choice, and one on the device. */
function bestVoice(
  voices: readonly SpeechSynthesisVoice[],
  language: string,
): SpeechSynthesisVoice | undefined {
  const wanted = language.toLowerCase();
  const [primary = ''] = wanted.split('-');
  const worth = ({ lang, default: isDefault, localService }: SpeechSynthesisVoice): number => {
    const tag = lang.replace('_', '-').toLowerCase();
    if (tag.split('-')[0] !== primary) return 0;
    return 1 + (tag === wanted ? 4 : 0) + (isDefault ? 2 : 0) + (localService ? 1 : 0);
  };
  const [best] = [...voices].sort((one, other) => worth(other) - worth(one));
  return best !== undefined && worth(best) > 0 ? best : undefined;
}
