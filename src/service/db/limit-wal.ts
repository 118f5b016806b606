import type { Pool } from 'pg';

/**
 * Writes a checkpoint, which removes old WAL segments, if there is more WAL since the last one than `max_wal_size`. PGlite
 * writes none by itself, because it has no checkpointer process.
 */
export async function limitWal(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ isDue: boolean }>(
    `SELECT pg_current_wal_lsn() - redo_lsn > pg_size_bytes(current_setting('max_wal_size')) AS "isDue"
     FROM pg_control_checkpoint()`,
  );
  if (rows[0]?.isDue) await pool.query('CHECKPOINT');
}
