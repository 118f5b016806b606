import { z } from 'zod';
import { outcomes } from './number-traits.ts';
import type { Outcome, OutcomeWeights } from './number-traits.ts';

/** Parses weights such as `human=70,machine=30`. The weight of an omitted outcome is 0. */
export function readOutcomes(text: string, context: z.RefinementCtx): OutcomeWeights {
  const weights: Record<Outcome, number> = { human: 0, machine: 0, 'no-answer': 0, busy: 0, failed: 0 };
  const isValid = text.split(',').every((part) => {
    const [, name = '', weight = ''] = /^\s*([a-z-]+)\s*=\s*(\d{1,6})\s*$/.exec(part) ?? [];
    const outcome = outcomes.find((known) => known === name);
    if (outcome === undefined) return false;
    weights[outcome] = Number(weight);
    return true;
  });
  if (isValid && Object.values(weights).some((weight) => weight > 0)) return weights;
  context.addIssue(`must be weights of ${outcomes.join(', ')}, such as human=70,machine=30`);
  return z.NEVER;
}
