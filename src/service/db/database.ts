import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { NodePgDatabase, NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Pool } from 'pg';
import type * as schema from './schema.ts';
import type { Transaction } from './transactions.ts';

/** Where queries run: the database itself, or a transaction in it. */
export type Queries = PgDatabase<
  NodePgQueryResultHKT,
  typeof schema,
  ExtractTablesWithRelations<typeof schema>
>;

/** An open database with all migrations applied. */
export interface Database {
  /** `pglite` runs inside this process and is its alone; `postgres` may be shared by many processes. */
  readonly kind: 'pglite' | 'postgres';
  /** The connections below Drizzle, for libraries that bring their own SQL. PGlite has exactly one. */
  readonly pool: Pool;
  /** Typed queries. A transaction holds a connection, so nothing slow may be awaited in one. */
  readonly db: NodePgDatabase<typeof schema>;
  /** For what every message does: like `db.transaction`, and its prepared queries are kept. */
  readonly transaction: Transaction;
  /** Waits for running queries and lets go of the connections, the folder and its lock. */
  close(): Promise<void>;
}
