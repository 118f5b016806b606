import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { VoiceNeeds } from '../realtime/line-factory.ts';
import { voiceColumns } from './voice-columns.ts';

/** The public settings of an assistant. */
export interface PublicAssistant {
  name: string;
  /** Two-letter code (ISO 639-1). */
  language: string;
  widget_settings: { theme?: string; color?: string; position?: string };
  /** Whether the assistant can be called. */
  web_calls: boolean;
}

/** Whether calls of an assistant are possible. */
export type SupportsCalls = (assistant: VoiceNeeds) => boolean;

/**
 * Reads the public settings of an assistant (our addition: `GET /assistants/{uuid}/widget`).
 *
 * @param supportsCalls whether calls of such an assistant are possible.
 */
export async function readAssistantWidget(
  queries: Queries,
  uuid: string,
  supportsCalls: SupportsCalls,
): Promise<PublicAssistant | undefined> {
  const [found] = await queries
    .select({
      ...voiceColumns,
      name: assistants.name,
      settings: assistants.widgetSettings,
      webCalls: assistants.webCalls,
    })
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(and(eq(assistants.uuid, uuid), isNull(assistants.deletedAt)));
  if (!found) return undefined;
  const text = (key: 'theme' | 'color' | 'position') => {
    const value = found.settings[key];
    return typeof value === 'string' ? { [key]: value } : {};
  };
  return {
    name: found.name,
    language: found.language,
    widget_settings: { ...text('theme'), ...text('color'), ...text('position') },
    web_calls: found.webCalls && supportsCalls(found),
  };
}
