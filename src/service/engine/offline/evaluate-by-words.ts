import type { Evaluation, EvaluationRequest } from '../engine.ts';
import { findValue } from './find-value.ts';
import { sentimentWordsFor } from './sentiment-words.ts';

/**
 * Looks back at a conversation without a language model. It counts kind and unkind words of the customer, and finds
 * values that stand beside the words of their names; what it cannot find is null. An outcome takes understanding, so
 * it never names one. The same transcript gets the same evaluation.
 */
export function evaluateByWords({ transcript, schema, language }: EvaluationRequest): Evaluation {
  const words = sentimentWordsFor(language);
  const said = transcript
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join('\n');
  // "Not good" is one unkind word, and no kind one.
  const negative = said.match(words.negative)?.length ?? 0;
  const positive = said.replaceAll(words.negative, '').match(words.positive)?.length ?? 0;
  const all = positive + negative;
  return {
    sentiment:
      all === 0 ? null : positive > negative ? 'positive' : positive < negative ? 'negative' : 'neutral',
    outcome: null,
    score: all === 0 ? null : Math.round((positive / all) * 100) / 100,
    variables: Object.fromEntries(
      schema.map((finding) => [finding.name, findValue(finding, transcript, words)]),
    ),
  };
}
