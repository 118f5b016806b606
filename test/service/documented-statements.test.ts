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

    it('runs on the tables of the service', async () => {
      const client = await open();
      // A page creates it in a database whose user could not.
      await client.query('DROP EXTENSION IF EXISTS pg_trgm CASCADE');
      const statements = documents.flatMap(statementsOf);
      assert.ok(statements.length >= 4);
      for (const statement of statements) await client.query(statement);
    });

    it('accepts a publication of all tables, and refuses partitions of messages with the quoted reason', async () => {
      const client = await open();
      const { source } = new Document('docs/scaling.md');
      const publication = /`(CREATE PUBLICATION [^`]+)`/.exec(source)?.[1] ?? '';
      await client.query(publication);
      await client.query('DROP PUBLICATION everything');
      const partitions = /`(CREATE TABLE … [^`]+)`/.exec(source)?.[1] ?? '';
      const reason = /`(unique constraint on [^`]+)`/.exec(source)?.[1] ?? '';
      await assert.rejects(client.query(partitions.replace('…', 'months')), { message: reason });
    });
  },
);
