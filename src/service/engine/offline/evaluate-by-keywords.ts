import type { Evaluation, EvaluationRequest } from '../engine.ts';
import { extractValue } from './extract-value.ts';
import { sentimentWordsFor } from './sentiment-words.ts';

/**
 * Evaluates a conversation without a language model: counts the customer's positive and negative words and extracts
 * values beside the words of their names. Always gives the same result; values it cannot find, and the outcome, are
 * null.
 */
export function evaluateByKeywords({ transcript, schema, language }: EvaluationRequest): Evaluation {
  const words = sentimentWordsFor(language);
  const customerText = transcript
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join('\n');
  // "Not good" is negative and not also positive.
  const negative = customerText.match(words.negative)?.length ?? 0;
  const positive = customerText.replaceAll(words.negative, '').match(words.positive)?.length ?? 0;
  const total = positive + negative;
  return {
    sentiment:
      total === 0 ? null : positive > negative ? 'positive' : positive < negative ? 'negative' : 'neutral',
    outcome: null,
    score: total === 0 ? null : Math.round((positive / total) * 100) / 100,
    variables: Object.fromEntries(
      schema.map((field) => [field.name, extractValue(field, transcript, words)]),
    ),
  };
}
