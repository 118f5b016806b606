import { z } from 'zod';
import type { ModelUsage } from '../engine/engine.ts';

/** The billed usage of a transcription. */
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
 * Reads the usage from an endpoint's response.
 *
 * @param seconds duration of the audio, used if the endpoint reports neither tokens nor seconds.
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
