import type { Context } from 'hono';
import { splitCredentials } from '../outgoing/url-credentials.ts';
import type { Authenticated } from '../http/bearer-auth.ts';

/** Fields with URLs of webhooks and tools, or arrays of them. */
const urlFields = /^(endpoint|url|(\w+_)?webhook_urls?)$/;

/**
 * Returns a function that removes user names and passwords from the URLs of a record, unless the key may change records.
 */
export function hideUrlCredentials(c: Context<Authenticated>): <Row extends object>(row: Row) => Row {
  if (c.get('user').scopes.includes('write')) return (row) => row;
  return <Row extends object>(row: Row) => {
    const shown = Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      urlFields.test(name) ? withoutCredentials(value) : value,
    ]);
    return Object.fromEntries(shown) as Row;
  };
}

function withoutCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCredentials);
  return typeof value === 'string' ? splitCredentials(value).address : value;
}
