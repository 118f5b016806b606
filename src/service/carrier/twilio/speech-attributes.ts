import type { SpeechSettings } from '../../voice/line.ts';

/** The carrier's locales for languages whose most likely region it does not support. */
const locales: Readonly<Record<string, string>> = { ar: 'ar-EG', no: 'nb-NO', nb: 'nb-NO', zh: 'cmn-CN' };

/** Returns the locale of a language: `de-DE` for `de`. */
export function localeOf(language: string): string {
  const known = locales[language];
  if (known !== undefined) return known;
  const { language: code, region } = new Intl.Locale(language).maximize();
  return region === undefined ? code : `${code}-${region}`;
}

/** Minimum number of words from which the service itself detects interruptions. */
const firstCountedWords = 2;

/** Whether the service counts the customer's words to detect interruptions, which the relay cannot. */
export const countsWords = ({ allowInterruptions, minInterruptWords }: SpeechSettings): boolean =>
  allowInterruptions && minInterruptWords >= firstCountedWords;

/** Converts the settings to attributes of `<ConversationRelay>`. Their names are case-sensitive. */
export function speechAttributes(speech: SpeechSettings): Record<string, string> {
  const interruptible = !speech.allowInterruptions ? 'none' : countsWords(speech) ? 'dtmf' : 'any';
  return {
    language: localeOf(speech.language),
    ...transcriptionAttributes(speech),
    ...voiceAttributes(speech),
    interruptible,
    interruptSensitivity: level(speech.interruptSensitivity),
    // Needed to count words. Otherwise only keys are reported.
    reportInputDuringAgentSpeech: countsWords(speech) ? 'any' : 'dtmf',
    partialPrompts: String(countsWords(speech)),
    speechTimeout: speech.endpointType === 'ai' ? 'auto' : String(pauseMs(speech.endpointSensitivity)),
    // The line stops the speech by playing a short silence.
    preemptible: 'true',
    dtmfDetection: 'true',
    events: 'speaker-events tokens-played',
  };
}

/** Only Deepgram detects the spoken language. */
function transcriptionAttributes({ otherLanguages = [] }: SpeechSettings): Record<string, string> {
  if (otherLanguages.length === 0) return {};
  return {
    transcriptionProvider: 'Deepgram',
    transcriptionLanguage: 'multi',
    speechModel: 'nova-3-general',
  };
}

const providers = ['ElevenLabs', 'Google', 'Amazon'];

function voiceAttributes({ voice, speed }: SpeechSettings): Record<string, string> {
  const wanted = voice?.provider.toLowerCase().replaceAll(/[^a-z]/g, '') ?? '';
  const provider = providers.find((name) => wanted.startsWith(name.toLowerCase()));
  if (voice === undefined || provider === undefined) return {};
  if (provider !== 'ElevenLabs' || speed === 1) return { ttsProvider: provider, voice: voice.name };
  // Model, speed, stability and similarity. All except the speed are the carrier's defaults.
  return { ttsProvider: provider, voice: `${voice.name}-flash_v2_5-${speed}_0.5_0.75` };
}

const level = (sensitivity: number): string =>
  sensitivity < 1 / 3 ? 'low' : sensitivity < 2 / 3 ? 'medium' : 'high';

/** The pause that ends the customer's turn, in milliseconds: 800 at the default sensitivity of 0.5. */
const pauseMs = (sensitivity: number): number =>
  Math.round(Math.min(5000, Math.max(600, 400 / Math.max(sensitivity, 0.01))));
