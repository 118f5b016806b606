import type { Locale, Texts } from './texts.ts';

/** Every text of a call in English. Separate from the others, so that only visitors who call load them. */
export const callTexts = {
  thinking: 'Thinking…',
  speaking: 'Speaking…',
  ready: 'You can speak now.',
  recorded: 'This call is recorded.',
  mute: 'Mute microphone',
  unmute: 'Unmute microphone',
  muted: 'Microphone is off',
  hangUp: 'Hang up',
  devices: 'Microphone and speaker',
  microphone: 'Microphone',
  speaker: 'Speaker',
  standard: 'Default',
  nowUsing: 'Now using: {name}',
  over: 'The call has ended.',
  reconnecting: 'Line lost. Reconnecting…',
  dismissed: 'The call needs your microphone. Call again and allow it.',
  noDevice: 'No microphone was found. Connect one and call again.',
  busy: 'The microphone cannot be used. Close other programs that use it and call again.',
  insecure: 'Calls need a secure connection (https).',
  blocked:
    'This page does not allow the microphone. Site owners: check Permissions-Policy and the allow attribute of the frame.',
  unavailable: 'Calls are not available right now. You can write instead.',
  lost: 'The line was lost. You can call again or write.',
  timeLimit: 'The call has reached its time limit. You can write instead.',
  callLimit: 'The limit for calls has been reached. You can write instead.',
  otherTab: 'A call is in progress in another tab.',
  silence: 'The call has ended because nobody spoke.',
  failed: 'The call did not work. You can call again or write.',
} as const;

export type CallTexts = { readonly [Key in keyof typeof callTexts]: string };

const loaded: Record<string, CallTexts | undefined> = {};

/** All texts, those of a call in English until they have been loaded. */
export const allTexts = ({ language, texts }: Locale): Texts & CallTexts => ({
  ...texts,
  ...(loaded[language] ?? callTexts),
});

/** Loads the texts of a language. Never rejects. */
export async function loadCallTexts({ language }: Locale): Promise<void> {
  if (language === 'en') return;
  try {
    const { loaders } = await import('./call-locales.ts');
    loaded[language] = (await loaders[language]?.())?.default;
  } catch {
    // The texts stay English.
  }
}
