import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea } from './columns.ts';

/** What documents are made of, until that is done. */
export const documentSources = pgTable('document_sources', {
  documentId: integer('document_id').notNull(),
  file: bytea(),
  links: text().array(),
  relativeLinksLimit: integer('relative_links_limit'),
});
