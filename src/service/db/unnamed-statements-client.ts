import { Client } from 'pg';

/**
 * A client that names no statement, even if a library does. Behind a pooler in transaction mode, the next connection to the
 * server does not know the name. PGlite's only session still knows the names of an earlier client.
 */
export class UnnamedStatementsClient extends Client {
  override query = ((config: unknown, ...rest: unknown[]): unknown => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    return query(withoutName(config), ...rest);
  }) as Client['query'];
}

function withoutName(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('name' in config) || 'submit' in config)
    return config;
  return { ...config, name: undefined };
}
