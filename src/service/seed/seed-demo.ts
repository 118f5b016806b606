import { eq, sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants, languages, users } from '../db/schema.ts';
import { ensureDemoApiKey } from './demo-api-key.ts';
import { demoAssistants } from './demo-assistants.ts';
import type { DemoAssistant, DemoFeature } from './demo-assistants.ts';
import { recordSeed } from './record-seed.ts';
import { seedKnowledge } from './seed-knowledge.ts';

/** Initial balance of the demo's user in USD: 2,500 messages. */
const startingBalance = '25';

/** An arbitrary number that no other advisory lock uses. */
const advisoryLock = 7_303_014_118;

/** The demo has no calls, so any voice and model will do. */
const firstVoice = 1;
const firstModel = 1;

const endOnGoodbye = { type: 'end_call', description: 'The visitor says goodbye.' } as const;

/**
 * Seeds a database with the demo: a shop, its knowledge base and its assistants. Existing records are not changed, so
 * it may run at every start, also of several processes at once.
 *
 * @param dataDir folder of the demo's API key (`demo-api-key`, readable by its owner only).
 */
export async function seedDemo(
  database: Database,
  dataDir: string,
): Promise<{ apiKey: string; assistants: { uuid: string; name: string; shows: DemoFeature }[] }> {
  const apiKey = await database.db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${advisoryLock})`);
    const owner = await seedUser(tx, 'Hanna Riedel', 'hanna@nordkamm.example', startingBalance);
    const trial = await seedUser(tx, 'Jonas Kehl', 'jonas@nordkamm.example', undefined);
    const knowledge = new Map<string, number>();
    for (const assistant of demoAssistants) {
      const userId = assistant.ownerHasBalance ? owner : trial;
      const key = `${userId} ${assistant.language}`;
      const knowledgebaseId = knowledge.get(key) ?? (await seedKnowledge(tx, userId, assistant.language));
      knowledge.set(key, knowledgebaseId);
      await seedAssistant(tx, assistant, userId, knowledgebaseId);
    }
    return ensureDemoApiKey(tx, owner, dataDir);
  });
  return { apiKey, assistants: demoAssistants.map(({ uuid, name, shows }) => ({ uuid, name, shows })) };
}

async function seedUser(
  queries: Queries,
  name: string,
  email: string,
  balance: string | undefined,
): Promise<number> {
  const [known] = await queries.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (known) return known.id;
  const [created] = await queries.insert(users).values({ name, email }).returning({ id: users.id });
  if (!created) throw new Error(`The user ${email} was not stored.`);
  await recordSeed(queries, { userId: created.id, object: 'user', objectId: created.id });
  if (balance !== undefined)
    await moveMoney(queries, { userId: created.id, kind: 'top_up', amount: balance });
  return created.id;
}

async function seedAssistant(
  queries: Queries,
  assistant: DemoAssistant,
  userId: number,
  knowledgebaseId: number,
): Promise<void> {
  const { uuid, name, language, initialMessage, systemPrompt, variables, widgetSettings } = assistant;
  const [languageRow] = await queries
    .select({ id: languages.id })
    .from(languages)
    .where(eq(languages.iso2, language));
  if (!languageRow) throw new Error(`The language ${language} is missing from the database.`);
  const [created] = await queries
    .insert(assistants)
    .values({
      uuid,
      userId,
      name,
      status: 'active',
      voiceId: firstVoice,
      llmModelId: firstModel,
      languageId: languageRow.id,
      timezone: 'Europe/Berlin',
      initialMessage,
      systemPrompt,
      variables,
      tools: assistant.endsOnGoodbye ? [endOnGoodbye] : [],
      knowledgebaseId,
      knowledgebaseMode: 'prompt',
      // Visitors of the demo can return after a break and continue.
      conversationEndedRetrigger: !assistant.endsOnGoodbye,
      webCalls: true,
      widgetSettings,
      ...unlimited,
    })
    .onConflictDoNothing({ target: assistants.uuid })
    .returning({ id: assistants.id });
  if (created) await recordSeed(queries, { userId, object: 'assistant', objectId: created.id });
}

/** The demo is for trying things out, also by scripts. */
const unlimited = {
  maxConversationMessages: 10_000,
  maxVisitorMessagesPerDay: 1_000_000,
  maxMessagesPerDay: 1_000_000,
  maxTestMessagesPerDay: 1_000_000,
};
