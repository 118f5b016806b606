import type { Pool } from 'pg';

/** Whether the server refuses writes, as a standby does. If so, the connection is closed: the next may reach the primary. */
export async function isReadOnly(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  let isUsable = false;
  try {
    const { rows } = await client.query<{ is_read_only: boolean }>(
      "SELECT current_setting('transaction_read_only')::boolean AS is_read_only",
    );
    isUsable = rows[0]?.is_read_only === false;
    return !isUsable;
  } finally {
    client.release(!isUsable);
  }
}
