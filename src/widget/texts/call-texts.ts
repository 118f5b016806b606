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
  reconnecting: 'Reconnecting…',
  dismissed: 'The call needs your microphone. Call again and allow it.',
  noDevice: 'No microphone was found. Connect one and call again.',
  busy: 'The microphone cannot be used. Close other programs that use it.',
  insecure: 'Calls need a secure connection.',
  blocked:
    'This page does not allow the microphone. Site owners: check Permissions-Policy and the frame’s allow attribute.',
  unavailable: 'Calls are not available right now. You can continue by text.',
  lost: 'The connection was lost. Call again or send a message.',
  timeLimit: 'The call has reached its time limit.',
  callLimit: 'The limit for calls has been reached.',
  otherTab: 'A call is in progress in another tab.',
  silence: 'The call has ended because nobody spoke.',
  failed: 'The call failed. Call again.',
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
