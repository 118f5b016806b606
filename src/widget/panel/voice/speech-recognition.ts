/** The part of the `SpeechRecognition` interface that dictation uses; TypeScript's DOM types lack it. */
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onsoundstart: (() => void) | null;
  onsoundend: (() => void) | null;
  onresult:
    ((event: { readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  /** Ends recognition; pending results still arrive. */
  stop(): void;
  abort(): void;
}

/** Creates a recognition, or returns undefined if the browser does not support it. */
export function createRecognition(): Recognition | undefined {
  const names = window as unknown as Partial<Record<string, new () => Recognition>>;
  const Class = names['SpeechRecognition'] ?? names['webkitSpeechRecognition'];
  return Class && new Class();
}
