import { eq } from 'drizzle-orm';
import { voiceColumns } from '../../assistant/voice-columns.ts';
import type { CallPlan } from '../../carrier/carrier.ts';
import type { Queries } from '../../db/database.ts';
import { assistants, languages } from '../../db/schema.ts';
import { ambientSoundOf } from '../../voice/ambience/ambient-sound.ts';

/**
 * Seconds by which the carrier's time limit exceeds the conversation's: its clock starts earlier, and the conversation
 * must reach its own limit first to end with the reason `max-duration`.
 */
export const hangUpMargin = 30;

/** Returns the plan that a carrier needs to connect a call to its assistant, without the call's secrets. */
export async function planLine(
  queries: Queries,
  callId: number,
  assistant: typeof assistants.$inferSelect,
): Promise<Omit<CallPlan, 'token' | 'connectToken'>> {
  const [found] = await queries
    .select(voiceColumns)
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(eq(assistants.id, assistant.id));
  if (!found) throw new Error('A call has no assistant.');
  const { mode, model, language, otherLanguages, voice, synthesizer, transcriber } = found;
  return {
    callId,
    assistant: assistant.uuid,
    mode,
    model,
    maxDuration: assistant.maxDuration + hangUpMargin,
    record: assistant.record,
    speech: {
      language,
      otherLanguages,
      voice,
      synthesizer,
      transcriber,
      speed: Number(assistant.speechSpeed),
      allowInterruptions: assistant.allowInterruptions,
      minInterruptWords: assistant.minInterruptWords,
      interruptSensitivity: share(assistant.interruptSensitivity),
      endpointType: assistant.endpointType,
      endpointSensitivity: share(assistant.endpointSensitivity),
      ambientSound: ambientSoundOf(assistant.ambientSound, Number(assistant.ambientSoundVolume)),
    },
  };
}

/** Assistants may have values up to 5; lines accept at most 1. */
const share = (sensitivity: number) => Math.min(1, sensitivity);
