import { randomUUID } from 'node:crypto';
import { moveMoney } from '../../../src/service/billing/ledger.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { assistants, users } from '../../../src/service/db/schema.ts';

/** Stores owners, each with a balance and an assistant; returns the assistants' UUIDs. */
export async function seedOwners({ db }: Database, count: number): Promise<string[]> {
  const uuids: string[] = [];
  for (let index = 0; index < count; index++) {
    const [user] = await db
      .insert(users)
      .values({ name: `Owner ${index}`, email: `${randomUUID()}@example.com`, dailySpendingLimit: null })
      .returning({ id: users.id });
    const userId = user?.id ?? 0;
    await moveMoney(db, { userId, kind: 'top_up', amount: '1000000' });
    const uuid = randomUUID();
    await db.insert(assistants).values({
      uuid,
      userId,
      name: 'Bench',
      voiceId: 1,
      languageId: 1,
      initialMessage: 'Hello! How can I help?',
      systemPrompt: 'You help.',
      variables: {},
      llmTemperature: '0.10',
      maxConversationMessages: 10_000,
      maxVisitorMessagesPerDay: 1_000_000,
      maxMessagesPerDay: 1_000_000,
    });
    uuids.push(uuid);
  }
  return uuids;
}
