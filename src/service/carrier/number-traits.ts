/** Outcomes of a simulated call. */
export const outcomes = ['human', 'machine', 'no-answer', 'busy', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** Relative frequency of each outcome. */
export type OutcomeWeights = Readonly<Record<Outcome, number>>;

/** How a simulated person behaves on the phone. */
export type Behavior = 'talks' | 'hangs-up' | 'stays-silent' | 'opts-out';

/**
 * An event that happens once in a call with a person, during or after the assistant's second sentence: the person
 * interrupts, presses a key or hangs up, or the line is lost.
 */
export type SimulatedEvent = 'none' | 'interrupts' | 'presses-keys' | 'hangs-up-during-speech' | 'loses-line';

/** The simulated behavior of a phone number. It is always the same for a number. */
export interface NumberTraits {
  outcome: Outcome;
  behavior: Behavior;
  /** Number of questions that a person asks before saying goodbye. */
  questions: number;
  /** Seconds until the call is answered. */
  ringing: number;
  event: SimulatedEvent;
  /** Whether a fax answers instead of a person or a machine. */
  isFax: boolean;
  /** Whether the carrier detects only during the call who answered. */
  isDetectedLate: boolean;
}

/**
 * Derives the outcome of a call from the digits of the number, so that users can choose it:
 *
 * - The last two digits, 00 to 99, determine the outcome, in proportion to the weights and in the order of {@link
 *   outcomes}. By default 00–69 is a person, 70–84 a machine, 85–92 no answer, 93–97 busy, 98–99 a failure.
 * - The third-last digit determines the person's behavior: 0–6 talks, 7 hangs up, 8 stays silent, 9 asks not to be
 *   called again. It also determines the number of questions, one to three.
 * - The fourth-last digit determines the ringing time, 2 to 11 seconds.
 * - The fifth-last digit: with 1 a fax answers, with 3 the line is lost once, with 6 the person hangs up while the
 *   assistant speaks, with 7 the person interrupts the assistant once, with 8 the person presses the key 1, with 9 the
 *   carrier detects late whether a machine answered.
 */
export function readNumberTraits(phoneNumber: string, weights: OutcomeWeights): NumberTraits {
  const digits = phoneNumber.replace(/\D/g, '').padStart(4, '0');
  const digit = Number(digits.at(-3));
  return {
    outcome: outcomeOf(Number(digits.slice(-2)) / 100, weights),
    behavior: digit <= 6 ? 'talks' : digit === 7 ? 'hangs-up' : digit === 8 ? 'stays-silent' : 'opts-out',
    questions: 1 + (digit % 3),
    ringing: 2 + Number(digits.at(-4)),
    event: events[digits.at(-5) ?? ''] ?? 'none',
    isFax: digits.at(-5) === '1',
    isDetectedLate: digits.at(-5) === '9',
  };
}

const events: Readonly<Record<string, SimulatedEvent>> = {
  3: 'loses-line',
  6: 'hangs-up-during-speech',
  7: 'interrupts',
  8: 'presses-keys',
};

function outcomeOf(fraction: number, weights: OutcomeWeights): Outcome {
  const sum = outcomes.reduce((total, outcome) => total + weights[outcome], 0);
  let end = 0;
  return (
    outcomes.find((outcome) => {
      end += weights[outcome] / sum;
      return fraction < end - Number.EPSILON * 4;
    }) ??
    outcomes.findLast((outcome) => weights[outcome] > 0) ??
    'failed'
  );
}
