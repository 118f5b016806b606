import { sql } from 'drizzle-orm';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea } from './columns.ts';

/** The files and links of documents that are being processed. */
export const documentSources = pgTable('document_sources', {
  documentId: integer('document_id').notNull(),
  file: bytea(),
  links: text().array(),
  relativeLinksLimit: integer('relative_links_limit'),
  replaces: integer()
    .array()
    .notNull()
    .default(sql`'{}'`),
});
