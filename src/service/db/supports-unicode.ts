import type { Pool } from 'pg';

/**
 * Whether the database stores every character as one, and its locale has the lower case of letters beyond ASCII, which
 * the search of documents needs.
 */
export async function supportsUnicode(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  // The next statement is invalid in other encodings.
  if (rows[0]?.encoding !== 'UTF8') return false;
  // Text search may use another locale than `lower`.
  const { rows: words } = await pool.query<{ lower: string; search: string }>(
    "SELECT lower('Ä') AS lower, to_tsvector('simple', 'Ä')::text AS search",
  );
  return words[0]?.lower === 'ä' && words[0].search === "'ä':1";
}
