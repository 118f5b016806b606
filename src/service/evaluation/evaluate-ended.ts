import type { StoredSchemaField } from '../db/assistants-table.ts';
import type { StoredEvaluation, StoredVariables } from '../db/schema.ts';
import { fitJson } from '../lib/storable.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine, Evaluation, EvaluationRequest, EvaluationField } from '../engine/engine.ts';

/** The result of an evaluation. */
export interface EvaluationResult {
  evaluation: StoredEvaluation;
  variables: StoredVariables;
}

/** The transcript of an ended chat or call, with the evaluation settings of its assistant. */
export interface EndedTranscript {
  /** UUID of the assistant. */
  uuid: string;
  transcript: EvaluationRequest['transcript'];
  language: string;
  /** Code of the assistant's model. */
  model: string | null;
  postCallEvaluation: boolean;
  postCallSchema: StoredSchemaField[];
}

/** The time limit of an evaluation was exceeded. */
export class EvaluationTimeout extends EngineError {}

/** Longest time for an evaluation, in milliseconds: its job, which also stores the result, has five minutes. */
const maxMilliseconds = 240_000;

/** Maximum length of the transcript in UTF-16 code units; the latest messages are kept. */
const maxTranscriptLength = 24_000;

/**
 * Evaluates an ended chat or call with the engine. Variables that it does not find are null. Results that it does not
 * find are absent, since the interface has no null there. If the customer said nothing, it finds none.
 *
 * @returns undefined if evaluation is disabled.
 * @throws EngineError if the engine fails; EvaluationTimeout
 */
export async function evaluateEnded(
  engine: Engine,
  { uuid, transcript, language, model, postCallEvaluation, postCallSchema }: EndedTranscript,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<EvaluationResult | undefined> {
  if (!postCallEvaluation) return undefined;
  const schema = postCallSchema as EvaluationField[];
  const customerSpoke = transcript.some(({ role, content }) => role === 'user' && content.trim() !== '');
  if (!customerSpoke) return splitVariables(emptyEvaluation(schema));
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, maxMilliseconds));
  try {
    const request = { assistant: uuid, transcript: keepLatest(transcript), schema, language, model };
    return splitVariables(await engine.evaluate(request, AbortSignal.any([signal, timeout])));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new EvaluationTimeout('the evaluation took too long', { cause: error });
  }
}

function splitVariables(evaluation: Evaluation): EvaluationResult {
  const { variables, ...results } = fitJson(evaluation);
  const known = Object.entries(results).filter(([, value]) => value !== null);
  return { evaluation: Object.fromEntries(known), variables };
}

const emptyEvaluation = (schema: EvaluationField[]): Evaluation => ({
  sentiment: null,
  outcome: null,
  score: null,
  variables: Object.fromEntries(schema.map(({ name }) => [name, null])),
});

function keepLatest(transcript: EndedTranscript['transcript']): EndedTranscript['transcript'] {
  let length = 0;
  const first = transcript.findLastIndex(({ content }) => (length += content.length) > maxTranscriptLength);
  // If the last message alone is too long, its end is kept.
  return first === transcript.length - 1
    ? transcript
        .slice(-1)
        .map((message) => ({ ...message, content: message.content.slice(-maxTranscriptLength) }))
    : transcript.slice(first + 1);
}
