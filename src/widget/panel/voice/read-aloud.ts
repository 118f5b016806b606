import { sentencesOf } from '../message-log/new-sentences.ts';
import type { VoiceProblem } from './voice-problem.ts';

/** The maximum length of an utterance in characters: some browsers stop in the middle of longer ones. */
const utteranceLength = 200;

/** Milliseconds until a browser that has not started speaking counts as unable to. */
const startTimeout = 5000;

/**
 * Reads a text aloud. Returns a function that stops it, or undefined if the browser cannot speak.
 *
 * @param onEnd called when reading has ended by itself
 */
export function readAloud(
  text: string,
  language: string,
  onEnd: (problem: VoiceProblem | undefined) => void,
): (() => void) | undefined {
  const synthesis = window.speechSynthesis as SpeechSynthesis | undefined;
  const texts = utteranceTexts(text, language);
  if (synthesis === undefined || texts.length === 0) return undefined;
  const voice = bestVoice(synthesis.getVoices(), language);
  const utterances = texts.map((text) => {
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.lang = language;
    if (voice !== undefined) utterance.voice = voice;
    return utterance;
  });
  const release = (): void => {
    clearTimeout(timer);
    for (const utterance of utterances) utterance.onstart = utterance.onend = utterance.onerror = null;
    synthesis.cancel();
  };
  const end = (problem?: VoiceProblem): void => {
    release();
    onEnd(problem);
  };
  const timer = setTimeout(end, startTimeout, 'impossible');
  for (const utterance of utterances) {
    utterance.onstart = () => {
      clearTimeout(timer);
    };
    utterance.onerror = ({ error }) => {
      // Something else on the page started speaking, or canceled all speech.
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
  return release;
}

/** Joins sentences to utterances of at most the maximum length. */
function utteranceTexts(text: string, language: string): string[] {
  const texts: string[] = [];
  for (const sentence of sentencesOf(text, language)) {
    const last = texts.at(-1) ?? '';
    if (last !== '' && last.length + sentence.length <= utteranceLength)
      texts[texts.length - 1] = last + sentence;
    else texts.push(sentence);
  }
  return texts.map((text) => text.trim()).filter(Boolean);
}

/** A voice of the same language tag, else of the same language; default and local voices are preferred. */
function bestVoice(
  voices: readonly SpeechSynthesisVoice[],
  language: string,
): SpeechSynthesisVoice | undefined {
  const wanted = language.toLowerCase();
  const [primary = ''] = wanted.split('-');
  const score = ({ lang, default: isDefault, localService }: SpeechSynthesisVoice): number => {
    const tag = lang.replace('_', '-').toLowerCase();
    if (tag.split('-')[0] !== primary) return 0;
    return 1 + (tag === wanted ? 4 : 0) + (isDefault ? 2 : 0) + (localService ? 1 : 0);
  };
  const [best] = [...voices].sort((one, other) => score(other) - score(one));
  return best !== undefined && score(best) > 0 ? best : undefined;
}
