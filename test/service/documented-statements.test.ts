import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { Document, documents } from '../docs/document.ts';
import { atEnd, newDatabase, testDatabase } from '../support/service/service.ts';

/** The SQL blocks of a document, without those that change the whole server, which `failover.test.ts` tries. */
function statementsOf(page: string): string[] {
  const blocks = new Document(page).source.matchAll(/^```sql\n(.*?)^```/gms);
  return Array.from(blocks, ([, block = '']) => block)
    .filter((block) => !block.includes('ALTER SYSTEM'))
    .flatMap((block) => block.split(/;\n/).filter((statement) => statement.trim() !== ''));
}

describe(
  'SQL in the documentation',
  { skip: testDatabase === 'pglite' && 'needs a PostgreSQL server' },
  () => {
    const open = async () => {
      const client = new pg.Client(String((await newDatabase())['DATABASE_URL']));
      await client.connect();
      atEnd(() => client.end());
      return client;
    };

    it('runs on the tables of the service, and creates the same trigram indexes as the first start', async () => {
      const client = await open();
      const trigramIndexes = async () => {
        const { rows } = await client.query(
          "SELECT indexdef FROM pg_indexes WHERE indexdef LIKE '%gin_trgm_ops%' ORDER BY indexname",
        );
        return rows as unknown;
      };
      const migrated = await trigramIndexes();
      // A page creates it in a database whose user could not.
      await client.query('DROP EXTENSION IF EXISTS pg_trgm CASCADE');
      const statements = documents.flatMap(statementsOf);
      assert.ok(statements.length >= 4);
      for (const statement of statements) await client.query(statement);
      assert.deepEqual(await trigramIndexes(), migrated);
    });

    it('publishes all tables of the service for logical replication, and each of them still accepts changes', async () => {
      const client = await open();
      const publication =
        /`(CREATE PUBLICATION [^`]+)`/.exec(new Document('docs/scaling.md').source)?.[1] ?? '';
      await client.query(publication);
      const { rows } = await client.query<{ name: string; isPublished: boolean }>(`
        SELECT tablename AS name, EXISTS (
          SELECT 1 FROM pg_publication_tables WHERE pubname = 'everything' AND tablename = pg_tables.tablename
        ) AS "isPublished" FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`);
      assert.deepEqual(
        rows.filter(({ isPublished }) => !isPublished).map(({ name }) => name),
        ['rate_limits'],
      );
      // PostgreSQL refuses this, even if no row matches, for a published table without a primary key.
      for (const { name } of rows) await client.query(`DELETE FROM ${name} WHERE false`);
    });

    it('refuses partitions of messages with the quoted reason', async () => {
      const client = await open();
      const { source } = new Document('docs/scaling.md');
      const partitions = /`(CREATE TABLE … [^`]+)`/.exec(source)?.[1] ?? '';
      const reason = /`(unique constraint on [^`]+)`/.exec(source)?.[1] ?? '';
      await assert.rejects(client.query(partitions.replace('…', 'months')), { message: reason });
    });
  },
);
