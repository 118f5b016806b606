/** As much of the browsers' speech recognition as dictation uses; the types of the DOM do not have it. */
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
  /** Ends it; what was said until now still comes as a result. */
  stop(): void;
  abort(): void;
}

/** Makes one, where the browser can listen. */
export function createRecognition(): Recognition | undefined {
  const names = window as unknown as Partial<Record<string, new () => Recognition>>;
  const Class = names['SpeechRecognition'] ?? names['webkitSpeechRecognition'];
  return Class && new Class();
}
