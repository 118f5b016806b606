import type { NumberTraits } from './number-traits.ts';
import type { CustomerSentences } from './simulated-sentences.ts';

/** What a customer does next: says something, or hangs up, after a pause of so many seconds. */
export type Reaction = { after: number; say: string } | { after: number; hangUp: true };

/**
 * What answers a simulated call. It says little, always the same: a greeting, its questions one by one, goodbye; and
 * hangs up once it has heard the answer to that.
 */
export class SimulatedCustomer {
  readonly #traits: NumberTraits;
  readonly #sentences: CustomerSentences;
  /** What is left to say. */
  readonly #lines: string[];

  constructor(traits: NumberTraits, sentences: CustomerSentences) {
    this.#traits = traits;
    this.#sentences = sentences;
    this.#lines = linesOf(traits, sentences);
  }

  /** Once the line stands. A person waits for the caller to speak, and after a while asks who is there. */
  pickUp(): Reaction | undefined {
    if (this.#traits.outcome === 'machine') return { after: 0.5, say: this.#sentences.machine };
    return this.#traits.temper === 'stays-silent' ? undefined : { after: 4, say: this.#sentences.pickUp };
  }

  /** Once the caller has said something. */
  hear(): Reaction | undefined {
    if (this.#traits.outcome === 'machine' || this.#traits.temper === 'stays-silent') return undefined;
    const line = this.#lines.shift();
    if (line === undefined) return { after: 1, hangUp: true };
    return { after: 1, say: line };
  }

  /** Once it has said something itself; who has said everything does not wait for an answer for long. */
  speak(): Reaction | undefined {
    if (this.#traits.outcome === 'machine' || this.#lines.length > 0) return undefined;
    return { after: 6, hangUp: true };
  }
}

function linesOf({ temper, questions }: NumberTraits, sentences: CustomerSentences): string[] {
  if (temper === 'objects') return [sentences.objection];
  if (temper !== 'talks') return [];
  return [sentences.greeting, ...sentences.questions.slice(0, questions), sentences.goodbye];
}
