/*
 * Fakes speech recognition and speech synthesis, which need a microphone and loudspeakers. Events are dispatched in the
 * order of the Web Speech API.
 */

/** A fake `SpeechRecognition`; `current` is the most recently started instance. */
export class FakeRecognition extends EventTarget {
  static current: FakeRecognition | undefined;
  static running = 0;

  lang = '';
  continuous = false;
  interimResults = false;
  onsoundstart: (() => void) | null = null;
  onsoundend: (() => void) | null = null;
  onresult: ((event: object) => void) | null = null;
  onerror: ((event: object) => void) | null = null;
  onend: (() => void) | null = null;
  readonly #results: { transcript: string }[][] = [];
  #isRunning = false;

  start(): void {
    FakeRecognition.current = this;
    FakeRecognition.running += 1;
    this.#isRunning = true;
  }

  /** Reports spoken words; an interim result is replaced by the next one. */
  hear(transcript: string, isFinal = false): void {
    this.onsoundstart?.();
    const results = [...this.#results, [{ transcript }]];
    if (isFinal) this.#results.push([{ transcript }]);
    this.onresult?.({ results });
  }

  /** Makes the results final, and ends. */
  stop(): void {
    this.#end();
  }

  abort(): void {
    if (this.#isRunning) this.fail('aborted');
  }

  fail(error: string): void {
    this.onerror?.({ error });
    this.#end();
  }

  #end(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    FakeRecognition.running -= 1;
    this.onsoundend?.();
    this.onend?.();
  }
}

/** A fake `speechSynthesis` that queues the page's utterances. */
export class FakeSynthesis {
  readonly queue: FakeUtterance[] = [];
  readonly voices = [
    { lang: 'de-DE', name: 'Anna', default: true, localService: true },
    { lang: 'en-US', name: 'Sam', default: false, localService: false },
    { lang: 'en-GB', name: 'Kate', default: false, localService: true },
  ];

  getVoices(): object[] {
    return this.voices;
  }

  speak(utterance: FakeUtterance): void {
    this.queue.push(utterance);
    if (this.queue.length === 1) utterance.onstart?.();
  }

  cancel(): void {
    for (const utterance of this.queue.splice(0)) utterance.onerror?.({ error: 'canceled' });
  }

  /** Speaks the whole queue. */
  finish(): void {
    while (this.queue.length > 0) {
      this.queue.shift()?.onend?.();
      this.queue[0]?.onstart?.();
    }
  }
}

export class FakeUtterance {
  readonly text: string;
  lang = '';
  voice: { name: string } | null = null;
  onstart: (() => void) | null = null;
  onend: (() => void) | null = null;
  onerror: ((event: object) => void) | null = null;

  constructor(text: string) {
    this.text = text;
  }
}

/** Replaces properties of `window`. Returns a function that restores them. */
export function replaceInWindow(values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map(
    (name) => [name, Object.getOwnPropertyDescriptor(window, name)] as const,
  );
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(window, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(window, name, descriptor);
      else Reflect.deleteProperty(window, name);
    }
  };
}
