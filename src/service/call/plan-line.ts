import { eq } from 'drizzle-orm';
import type { CallPlan } from '../carrier/carrier.ts';
import { providers, voices } from '../db/catalog-tables.ts';
import type { Queries } from '../db/database.ts';
import type { assistants } from '../db/schema.ts';

/** Returns what a carrier must know to connect a call to its assistant, all but the call's secret. */
export async function planLine(
  queries: Queries,
  callId: number,
  assistant: typeof assistants.$inferSelect,
  language: string,
): Promise<Omit<CallPlan, 'token'>> {
  const [voice] = await queries
    .select({ provider: providers.code, name: voices.name })
    .from(voices)
    .innerJoin(providers, eq(providers.id, voices.synthesizerProviderId))
    .where(eq(voices.id, assistant.voiceId));
  return {
    callId,
    maxDuration: assistant.maxDuration,
    record: assistant.record,
    speech: {
      language,
      voice,
      speed: Number(assistant.speechSpeed),
      allowInterruptions: assistant.allowInterruptions,
      minInterruptWords: assistant.minInterruptWords,
      interruptSensitivity: assistant.interruptSensitivity,
      endpointType: assistant.endpointType,
      endpointSensitivity: assistant.endpointSensitivity,
    },
  };
}
