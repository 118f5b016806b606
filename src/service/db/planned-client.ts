import { Client } from 'pg';

/** Statements of one process that PostgreSQL may keep plans of. Ours are fewer; lists of changing length add to them. */
const planLimit = 500;

const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= planLimit) return undefined;
  const name = `s${names.size + 1}`;
  names.set(text, name);
  return name;
}

/**
 * A connection that names every statement with parameters, so that PostgreSQL reads and plans it once and not each
 * time: planning costs more than most of our statements themselves. What has no parameters (`BEGIN`, migrations) goes
 * as it is.
 */
export class PlannedClient extends Client {
  override query = ((config: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    return query(withName(config, values), values, ...rest);
  }) as Client['query'];
}

function withName(config: unknown, values: unknown): unknown {
  if (!Array.isArray(values) || values.length === 0) return config;
  const given = typeof config === 'string' ? { text: config } : config;
  if (typeof given !== 'object' || given === null || !('text' in given) || 'submit' in given) return config;
  const { text, name } = given as { text: string; name?: string };
  return name ? config : { ...given, name: nameOf(text) };
}
