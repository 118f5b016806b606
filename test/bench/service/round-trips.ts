import { Client } from 'pg';

/** The kind of a statement, which determines its cost. */
export type Kind = 'begin' | 'select' | 'insert' | 'update' | 'commit';

/** The statements of one operation, in order. Each is a round trip to the database. */
export type RoundTrips = readonly Kind[];

/** Records every statement that this process sends through `pg` from now on. `take` returns and clears them. */
export function recordStatements(): { take: () => RoundTrips } {
  let recorded: Kind[] = [];
  const prototype = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const query = prototype.query;
  prototype.query = function (...args) {
    const kind = kindOf(args[0]);
    if (kind) recorded.push(kind);
    return Reflect.apply(query, this, args);
  };
  return {
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
  };
}

function kindOf(statement: unknown): Kind | undefined {
  const text = typeof statement === 'string' ? statement : (statement as { text?: string } | undefined)?.text;
  const word = text?.trim().split(/\s/)[0]?.toLowerCase();
  if (word === 'begin' || word === 'insert' || word === 'update' || word === 'commit') return word;
  return word === 'select' || word === 'with' ? 'select' : undefined;
}
