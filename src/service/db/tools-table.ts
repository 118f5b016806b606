import { boolean, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { sealed, timestamptz } from './columns.ts';

/** The mid-call tools of the users. */
export const tools = pgTable('tools', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
  description: text().notNull(),
  endpoint: text().notNull(),
  method: text({ enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }).notNull(),
  timeout: integer().notNull().default(10),
  isPrivate: boolean('is_private').notNull().default(false),
  headers: sealed().notNull(),
  schema: jsonb().$type<{ name: string; type: string; description: string }[]>().notNull().default([]),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});
