import { seedDemo } from '../seed/seed-demo.ts';
import type { Command } from './command.ts';

/** Opening the database has applied the migrations; this reports the latest. */
export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Brings the database up to date, as every start of the service does.',
  createsDatabase: true,
  options: {},
  async run({ database }) {
    const { rows } = await database.pool.query<{ name: string; applied_at: Date }>(
      'SELECT name, applied_at FROM schema_migrations ORDER BY name',
    );
    return {
      lines: [`The database is up to date: ${rows.at(-1)?.name ?? 'nothing'} is its latest migration.`],
      data: { migrations: rows },
    };
  },
};

export const seedCommand: Command = {
  name: 'seed',
  summary:
    'Stores the demo: a shop, its knowledge base and its assistants. Existing records are not changed.',
  createsDatabase: true,
  options: {},
  async run({ config, database }) {
    const seeded = await seedDemo(database, config.dataDir);
    return {
      lines: [
        `API key: ${seeded.apiKey}`,
        ...seeded.assistants.map(({ uuid, name, shows }) => `${uuid}  ${name} (${shows})`),
      ],
      data: seeded,
    };
  },
};
