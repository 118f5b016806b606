import type { StoredFinding } from '../db/assistants-table.ts';
import type { StoredEvaluation, StoredVariables } from '../db/schema.ts';
import { fitJson } from '../lib/storable.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine, Evaluation, EvaluationRequest, EvaluationField } from '../engine/engine.ts';

/** What an engine makes of something that is over. */
export interface Evaluated {
  evaluation: StoredEvaluation;
  variables: StoredVariables;
}

/** What was said, and what its assistant wants to know of it. */
export interface Ended {
  transcript: EvaluationRequest['transcript'];
  language: string;
  /** Code of the model that its assistant talks with. */
  model: string | null;
  postCallEvaluation: boolean;
  postCallSchema: StoredFinding[];
}

/** How much of a transcript an engine gets, in UTF-16 code units: the latest whole lines. */
const transcriptLength = 24_000;

/**
 * Has an engine look back at what is over. Where the customer said nothing there is nothing to see, so everything is
 * unknown without asking.
 *
 * @returns undefined if the assistant wants no evaluation.
 * @throws EngineError
 */
export async function evaluateEnded(
  engine: Engine,
  { transcript, language, model, postCallEvaluation, postCallSchema }: Ended,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Evaluated | undefined> {
  if (!postCallEvaluation) return undefined;
  const schema = postCallSchema as EvaluationField[];
  const spoke = transcript.some(({ role, content }) => role === 'user' && content.trim() !== '');
  if (!spoke) return divide(nothing(schema));
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const request = { transcript: keepLatest(transcript), schema, language, model };
    return divide(await engine.evaluate(request, AbortSignal.any([signal, timeout])));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new EngineError('the evaluation took too long', { cause: error });
  }
}

function divide(evaluation: Evaluation): Evaluated {
  const { variables, ...rest } = fitJson(evaluation);
  return { evaluation: rest, variables };
}

const nothing = (schema: EvaluationField[]): Evaluation => ({
  sentiment: null,
  outcome: null,
  score: null,
  variables: Object.fromEntries(schema.map(({ name }) => [name, null])),
});

function keepLatest(transcript: Ended['transcript']): Ended['transcript'] {
  let length = 0;
  const first = transcript.findLastIndex(({ content }) => (length += content.length) > transcriptLength);
  // One line that is too long by itself still tells something by its end.
  return first === transcript.length - 1
    ? transcript.slice(-1).map((line) => ({ ...line, content: line.content.slice(-transcriptLength) }))
    : transcript.slice(first + 1);
}
