import { eq } from 'drizzle-orm';
import type { CallPlan } from '../carrier/telephony.ts';
import { providers, voices } from '../db/catalog-tables.ts';
import type { Queries } from '../db/database.ts';
import type { assistants } from '../db/schema.ts';

/** A call, with the secret that its carrier must bring. */
interface TokenCall {
  id: number;
  token: string;
}

/** Returns what a carrier must know to connect a call to its assistant. */
export async function planLine(
  queries: Queries,
  { id, token }: TokenCall,
  assistant: typeof assistants.$inferSelect,
  language: string,
): Promise<CallPlan> {
  const [voice] = await queries
    .select({ provider: providers.code, name: voices.name })
    .from(voices)
    .innerJoin(providers, eq(providers.id, voices.synthesizerProviderId))
    .where(eq(voices.id, assistant.voiceId));
  return {
    callId: id,
    token,
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
