import { sql } from 'drizzle-orm';
import type { Placeholder } from 'drizzle-orm';
import type { Queries } from './database.ts';

/** A placeholder for each value. */
type Placeholders<Values> = { [Name in keyof Values]: Placeholder<Name & string, Values[Name]> };

interface Preparable<Output> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Output> };
}

/**
 * Prepares a query for the paths of every message: its SQL is built once per connection, which takes longer than
 * running it.
 *
 * @param build builds the query from placeholders for its values.
 */
export function prepared<Values extends object, Output>(
  build: (queries: Queries, params: Placeholders<Values>) => Preparable<Output>,
): (queries: Queries, values: Values) => Promise<Output> {
  const placeholders = new Proxy({} as Placeholders<Values>, {
    get: (_, name: string) => sql.placeholder(name),
  });
  const preparedQueries = new WeakMap<Queries, ReturnType<Preparable<Output>['prepare']>>();
  return (queries, values) => {
    let query = preparedQueries.get(queries);
    // Unnamed here; `PreparedStatementsClient` names it on PostgreSQL.
    if (query === undefined) preparedQueries.set(queries, (query = build(queries, placeholders).prepare('')));
    return query.execute(values as Record<string, unknown>);
  };
}
