import { integer, pgTable, text } from 'drizzle-orm/pg-core';

/** Providers of speech synthesis and transcription. */
export const providers = pgTable('providers', {
  id: integer().notNull(),
  kind: text({ enum: ['synthesizer', 'transcriber'] }).notNull(),
  name: text().notNull(),
  code: text().notNull(),
});

export const providerLanguages = pgTable('provider_languages', {
  providerId: integer('provider_id').notNull(),
  languageId: integer('language_id').notNull(),
});

export const models = pgTable('models', {
  id: integer().notNull(),
  type: text({ enum: ['llm', 'multimodal', 'dualplex'] }).notNull(),
  name: text().notNull(),
  code: text().notNull(),
});

export const voices = pgTable('voices', {
  id: integer().notNull(),
  name: text().notNull(),
  languageId: integer('language_id').notNull(),
  synthesizerProviderId: integer('synthesizer_provider_id').notNull(),
  gender: text().notNull(),
  age: text().notNull(),
  accent: text().notNull(),
  previewUrl: text('preview_url'),
  code: text(),
  modes: text().array().notNull(),
});
