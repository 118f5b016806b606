import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { NodePgDatabase, NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Pool } from 'pg';
import type { EmbeddedListener } from './embedded-postgres.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type * as schema from './schema.ts';
import type { Transaction } from './transactions.ts';

/** The database, or a transaction in it. */
export type Queries = PgDatabase<
  NodePgQueryResultHKT,
  typeof schema,
  ExtractTablesWithRelations<typeof schema>
>;

/** An open database. */
export interface Connection {
  /** `pglite` runs inside this process, which has it to itself; `postgres` may be shared by many processes. */
  readonly kind: 'pglite' | 'postgres';
  /** The connections below Drizzle, for libraries with their own SQL. PGlite has exactly one. */
  readonly pool: Pool;
  /** The server's address for connections that need a session, if those of the pool have none. */
  readonly directUrl?: string | undefined;
  /** Listeners that are kept when PGlite recovers from a failure; absent with a server. */
  readonly listeners?: Set<EmbeddedListener>;
  /** Typed queries. A transaction holds a connection, so await nothing slow in one. */
  readonly db: NodePgDatabase<typeof schema>;
  /** Like `db.transaction`, with prepared queries that are kept: for the paths of every message. */
  readonly transaction: Transaction;
  /** Waits for running queries, then closes the connections and unlocks the folder. */
  close(): Promise<void>;
}

/** An open database with all migrations applied. */
export interface Database extends Connection {
  /** Encrypts and decrypts stored secrets. */
  readonly secrets: SecretBox;
}
