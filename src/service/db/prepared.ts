import { sql } from 'drizzle-orm';
import type { Placeholder } from 'drizzle-orm';
import type { Queries } from './database.ts';

/** What stands for each value while a query is built. */
type Places<Values> = { [Name in keyof Values]: Placeholder<Name & string, Values[Name]> };

interface Preparable<Output> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Output> };
}

/**
 * A query for the paths that every message takes: its text is built once for each connection and not each time, which
 * takes longer than to send it and to read what comes back.
 *
 * @param build gets a place for each value.
 */
export function prepared<Values extends object, Output>(
  build: (queries: Queries, place: Places<Values>) => Preparable<Output>,
): (queries: Queries, values: Values) => Promise<Output> {
  const places = new Proxy({} as Places<Values>, { get: (_, name: string) => sql.placeholder(name) });
  const made = new WeakMap<Queries, ReturnType<Preparable<Output>['prepare']>>();
  return (queries, values) => {
    let query = made.get(queries);
    // Without a name of its own; the connection names it (`PlannedClient`), where that makes sense.
    if (query === undefined) made.set(queries, (query = build(queries, places).prepare('')));
    return query.execute(values as Record<string, unknown>);
  };
}
