/*
 * Stands in for what no browser has while nobody sits in front of it: a microphone with somebody who speaks, and
 * loudspeakers. Events come in the order of the Web Speech API.
 */

/** What a test says to the page: the last recognition that was begun. */
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

  /** The visitor says something; until it is final, the next replaces it. */
  hear(transcript: string, isFinal = false): void {
    this.onsoundstart?.();
    const results = [...this.#results, [{ transcript }]];
    if (isFinal) this.#results.push([{ transcript }]);
    this.onresult?.({ results });
  }

  /** What was said until now is final, and that was it. */
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

/** What was said aloud by the page, and by nobody yet. */
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

  /** Speaks what is in the queue to its end. */
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

/** Gives `window` other values. What this returns puts it back as it was. */
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
