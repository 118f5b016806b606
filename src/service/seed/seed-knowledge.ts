import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { and, eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { knowledgebases, languages } from '../db/schema.ts';
import { importDocument } from '../knowledge/import-document.ts';
import { recordSeed } from './record-seed.ts';

const folder = join(import.meta.dirname, 'knowledge');

/** Imports the shop's documents in one language into a knowledge base of the user; returns its id. */
export async function seedKnowledge(queries: Queries, userId: number, language: string): Promise<number> {
  const id = await findOrCreate(queries, userId, language);
  const files = (await readdir(join(folder, language))).filter((file) => file.endsWith('.md')).sort();
  for (const file of files) {
    const markdown = await readFile(join(folder, language, file), 'utf8');
    const name = /^# (.+)$/m.exec(markdown)?.[1] ?? file;
    await importDocument(queries, id, { name, markdown });
  }
  return id;
}

async function findOrCreate(queries: Queries, userId: number, language: string): Promise<number> {
  const name = `Nordkamm (${language})`;
  const [existing] = await queries
    .select({ id: knowledgebases.id })
    .from(knowledgebases)
    .where(and(eq(knowledgebases.userId, userId), eq(knowledgebases.name, name)));
  if (existing) return existing.id;
  const [languageRow] = await queries
    .select({ config: languages.textSearchConfig })
    .from(languages)
    .where(eq(languages.iso2, language));
  const [created] = await queries
    .insert(knowledgebases)
    .values({
      userId,
      name,
      description: 'What Nordkamm tells its customers',
      textSearchConfig: languageRow?.config ?? 'simple',
    })
    .returning({ id: knowledgebases.id });
  if (!created) throw new Error(`The knowledge base "${name}" was not stored.`);
  await recordSeed(queries, { userId, object: 'knowledgebase', objectId: created.id });
  return created.id;
}
