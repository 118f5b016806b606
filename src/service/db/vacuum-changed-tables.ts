import type { Pool } from 'pg';

/**
 * Vacuums and analyzes the tables of which a fifth has changed, as autovacuum does, which PGlite lacks. Else the space of
 * deleted rows is not used again. Each table has its own statement, because PGlite blocks this process during a statement.
 */
export async function vacuumChangedTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relid::regclass::text AS name FROM pg_stat_user_tables
     WHERE n_mod_since_analyze > 50 + n_live_tup / 5`,
  );
  for (const { name } of rows) await pool.query(`VACUUM (ANALYZE) ${name}`);
}
