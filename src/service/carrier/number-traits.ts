/** What becomes of a call to a number. */
export const outcomes = ['human', 'machine', 'no-answer', 'busy', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** How many of a hundred numbers fare so. */
export type OutcomeWeights = Readonly<Record<Outcome, number>>;

/** How a person on the phone behaves. */
export type Temper = 'talks' | 'hangs-up' | 'stays-silent' | 'objects';

/** What the simulated carrier makes of a number, always the same. */
export interface NumberTraits {
  outcome: Outcome;
  temper: Temper;
  /** What a person asks before they say goodbye. */
  questions: number;
  /** Seconds that it rings before anyone or anything answers. */
  ringing: number;
}

/**
 * Reads the fate of a call from the digits of its number, so that whoever tries the service can choose it:
 *
 * - The last two, 00 to 99, choose the outcome: each has as many of them as its share of all weights, in the order of
 *   {@link outcomes}. With the default weights 00–69 is a person, 70–84 a machine, 85–92 nobody, 93–97 busy, 98–99 fails.
 * - The third last is the person's temper: 0–6 talks, 7 hangs up, 8 stays silent, 9 asks not to be called again.
 * - The fourth last is for how long it rings: 2 to 11 seconds.
 * - Who talks asks one to three questions, by the third last digit.
 */
export function traitsOf(phoneNumber: string, weights: OutcomeWeights): NumberTraits {
  const digits = phoneNumber.replace(/\D/g, '').padStart(4, '0');
  const temper = Number(digits.at(-3));
  return {
    outcome: outcomeOf(Number(digits.slice(-2)) / 100, weights),
    temper: temper <= 6 ? 'talks' : temper === 7 ? 'hangs-up' : temper === 8 ? 'stays-silent' : 'objects',
    questions: 1 + (temper % 3),
    ringing: 2 + Number(digits.at(-4)),
  };
}

function outcomeOf(share: number, weights: OutcomeWeights): Outcome {
  const sum = outcomes.reduce((total, outcome) => total + weights[outcome], 0);
  let end = 0;
  return (
    outcomes.find((outcome) => {
      end += weights[outcome] / sum;
      return share < end - Number.EPSILON * 4;
    }) ??
    outcomes.findLast((outcome) => weights[outcome] > 0) ??
    'failed'
  );
}
