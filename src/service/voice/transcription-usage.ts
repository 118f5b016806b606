import { z } from 'zod';
import type { ModelUsage } from '../engine/engine.ts';

/** What an endpoint used to transcribe something. */
export type TranscriptionUsage = Pick<ModelUsage, 'model' | 'inputTokens' | 'outputTokens' | 'seconds'>;

const Reported = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tokens'),
    input_tokens: z.int().nonnegative(),
    output_tokens: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('duration'), seconds: z.number().nonnegative() }),
]);

/**
 * Reads what an endpoint reports with a transcription.
 *
 * @param seconds of the sound: they count if the endpoint reports neither tokens nor seconds.
 */
export function readTranscriptionUsage(
  model: string,
  reported: unknown,
  seconds: number,
): TranscriptionUsage {
  const { data } = Reported.safeParse(reported);
  return data?.type === 'tokens'
    ? { model, inputTokens: data.input_tokens, outputTokens: data.output_tokens }
    : { model, inputTokens: 0, outputTokens: 0, seconds: data?.seconds ?? seconds };
}
