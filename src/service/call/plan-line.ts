import { eq, inArray } from 'drizzle-orm';
import { engineContextColumns } from '../assistant/engine-context.ts';
import type { CallPlan } from '../carrier/carrier.ts';
import { providers, voices } from '../db/catalog-tables.ts';
import type { Queries } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import { ambientSoundOf } from '../voice/ambience/ambient-sound.ts';

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
  const others = await queries
    .select({ code: languages.iso2 })
    .from(languages)
    .where(inArray(languages.id, assistant.secondaryLanguageIds))
    .orderBy(languages.id);
  const { mode } = assistant;
  const [realtime] =
    mode === 'pipeline'
      ? []
      : await queries
          .select({ model: engineContextColumns.model })
          .from(assistants)
          .where(eq(assistants.id, assistant.id));
  return {
    ...{ callId, mode, model: realtime?.model ?? null },
    maxDuration: assistant.maxDuration,
    record: assistant.record,
    speech: {
      language,
      otherLanguages: others.map(({ code }) => code).filter((code) => code !== language),
      voice,
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

/** Assistants may have values up to 5, but more than all is not possible. */
const share = (sensitivity: number) => Math.min(1, sensitivity);
