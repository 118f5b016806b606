import { Client } from 'pg';

/** Maximum number of statements whose plans PostgreSQL keeps. Ours are fewer; lists of varying length add to them. */
const planLimit = 1000;

const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const existing = names.get(text);
  if (existing !== undefined) return existing;
  if (names.size >= planLimit) return undefined;
  const name = `s${names.size + 1}`;
  names.set(text, name);
  return name;
}

/**
 * A client that names every statement with parameters, so that PostgreSQL parses and plans it once: planning costs more
 * than most of our statements. Statements without parameters (`BEGIN`, migrations) are not named.
 */
export class PreparedStatementsClient extends Client {
  override query = ((config: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    return query(withName(config, values), values, ...rest);
  }) as Client['query'];
}

function withName(config: unknown, values: unknown): unknown {
  if (!Array.isArray(values) || values.length === 0) return config;
  const statement = typeof config === 'string' ? { text: config } : config;
  if (typeof statement !== 'object' || statement === null || !('text' in statement) || 'submit' in statement)
    return config;
  const { text, name } = statement as { text: string; name?: string };
  return name ? config : { ...statement, name: nameOf(text) };
}
