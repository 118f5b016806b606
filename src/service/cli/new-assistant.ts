import { CreateAssistantRequest } from '../../contract/assistant.ts';
import { isTimeZone } from '../../contract/request-fields.ts';
import { checkNewAssistant, createAssistant } from '../assistant/save-assistant.ts';
import { listLanguages, listModels, listVoices } from '../assistant/catalog.ts';
import type { Database } from '../db/database.ts';
import { checkFields } from '../http/check-fields.ts';
import { CommandError, UsageError } from './command.ts';

/** The first message in some languages; other assistants start in English. */
const greetings: Record<string, string> = {
  en: 'Hello! How can I help you?',
  de: 'Hallo! Wie kann ich Ihnen helfen?',
  fr: 'Bonjour ! Comment puis-je vous aider ?',
  es: '¡Hola! ¿En qué puedo ayudarle?',
  it: 'Buongiorno! Come posso aiutarLa?',
  pt: 'Olá! Como posso ajudar?',
  nl: 'Hallo! Hoe kan ik u helpen?',
  pl: 'Dzień dobry! W czym mogę pomóc?',
  tr: 'Merhaba! Size nasıl yardımcı olabilirim?',
  da: 'Hej! Hvordan kan jeg hjælpe?',
  sv: 'Hej! Hur kan jag hjälpa till?',
  ar: 'مرحبًا! كيف يمكنني مساعدتك؟',
};

const defaultPrompt =
  'You are the assistant on our website. Answer briefly and politely, in the language of the visitor. ' +
  'Use only what the knowledge base says. If it does not say it, say that you do not know.';

/** The input for a new assistant. */
export interface NewAssistant {
  name: string;
  /** Default: inbound. */
  type?: 'inbound' | 'outbound';
  /** ISO 639-1. */
  language: string | undefined;
  greeting: string | undefined;
  prompt: string | undefined;
  /** IANA name; by default that of the machine. */
  timeZone: string | undefined;
  knowledgebaseId?: number;
}

/**
 * Creates an assistant for a website's chat, with defaults for the fields that only calls use.
 *
 * @throws CommandError, UsageError
 */
export async function addAssistant(
  database: Database,
  userId: number,
  { name, type = 'inbound', language: given, greeting, prompt, timeZone, knowledgebaseId }: NewAssistant,
): Promise<{ id: number; uuid: string; name: string }> {
  const code = (given ?? 'en').toLowerCase();
  const language = (await listLanguages(database)).find(({ iso_2 }) => iso_2 === code);
  if (!language) throw new UsageError(languageProblem(code));
  const [voice] = await listVoices(database, { mode: 'pipeline', language_id: language.id });
  const [model] = await listModels(database, 'llm');
  const fields = {
    name,
    language_id: language.id,
    voice_id: voice?.id ?? 1,
    type,
    mode: 'pipeline' as const,
    llm_model_id: model?.id ?? 1,
    timezone: timeZone ?? machineTimeZone(),
    initial_message: greeting ?? greetings[code] ?? greetings['en'] ?? '',
    system_prompt: prompt ?? defaultPrompt,
    ...(knowledgebaseId === undefined ? {} : { knowledgebase_id: knowledgebaseId }),
  };
  const { errors } = checkFields(CreateAssistantRequest, fields);
  const violations = await checkNewAssistant(database, userId, fields);
  const [problem] = Object.values({ ...violations, ...errors }).flat();
  if (problem !== undefined) throw new CommandError(problem);
  const created = await createAssistant(database, userId, fields);
  if (!created) throw new Error('The assistant was not stored.');
  return { id: created.id, uuid: created.uuid, name: created.name };
}

/** The languages in the database, which is not open while a command asks its questions. */
const languageCodes = 'ar cs da de el en es fi fr he hi hu id it ja ko nl no pl pt ro ru sv tr uk zh'.split(
  ' ',
);

/** Returns what is wrong with the code of a language. */
export const languageProblem = (code: string): string | undefined =>
  languageCodes.includes(code.toLowerCase())
    ? undefined
    : `"${code}" is not the code of a supported language. Use one of ${languageCodes.join(', ')}.`;

/** The machine's time zone. `TZ` may have a form that Node does not know, such as a path: then UTC. */
function machineTimeZone(): string {
  const { timeZone = '' } = Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

/** The line that shows an assistant on a page. */
export const snippetFor = (origin: string, uuid: string): string =>
  `<script src="${origin}/embed/${uuid}.js" async></script>`;
