import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import type { Kind, RoundTrips } from './round-trips.ts';

/*
 * The baseline for the service: routes that parse JSON, make the same number of reads and changes in the same database,
 * one statement after the other, and respond with JSON, without validation or business rules. `ROUND_TRIPS` has the
 * statements of each route.
 */
const routes = JSON.parse(process.env['ROUND_TRIPS'] ?? '{}') as Record<string, RoundTrips>;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

await pool.query(`CREATE TABLE IF NOT EXISTS bare_lines (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner bigint NOT NULL, content text NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
await pool.query('CREATE INDEX IF NOT EXISTS bare_lines_owner ON bare_lines (owner, id)');

const statements: Record<Exclude<Kind, 'begin' | 'commit'>, string> = {
  select: 'SELECT id, content, at FROM bare_lines WHERE owner = $1 ORDER BY id DESC LIMIT 40',
  insert: 'INSERT INTO bare_lines (owner, content) VALUES ($1, $2) RETURNING id',
  update: 'UPDATE bare_lines SET at = now() WHERE id = $1 RETURNING id',
};

async function run(kind: Kind, client: Pick<pg.Pool, 'query'>, owner: number, text: string): Promise<void> {
  if (kind === 'begin' || kind === 'commit') await client.query(kind.toUpperCase());
  else await client.query(statements[kind], kind === 'insert' ? [owner, text] : [owner]);
}

async function makeTrips(trips: RoundTrips, owner: number, text: string): Promise<void> {
  let client: pg.PoolClient | undefined;
  for (const kind of trips) {
    if (kind === 'begin') client = await pool.connect();
    await run(kind, client ?? pool, owner, text);
    if (kind === 'commit') {
      client?.release();
      client = undefined;
    }
  }
}

const app = new Hono();
for (const [path, trips] of Object.entries(routes)) {
  app.post(path, async (c) => {
    const { owner = 0, message = '' } = await c.req.json<{ owner?: number; message?: string }>();
    await makeTrips(trips, owner, message);
    return c.json({ status: true, message });
  });
}
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.error(JSON.stringify({ msg: 'listening', port }));
});
