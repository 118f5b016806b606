import { Client } from 'pg';

/** What a statement does to the database, as far as its price goes. */
export type Kind = 'begin' | 'select' | 'insert' | 'update' | 'commit';

/** The statements of one operation in their order: each is a round trip to the database. */
export type RoundTrips = readonly Kind[];

/** Notes every statement that this process sends from now on, by whatever library. */
export function noteStatements(): { take: () => RoundTrips } {
  let noted: Kind[] = [];
  const prototype = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const query = prototype.query;
  prototype.query = function (...args) {
    const kind = kindOf(args[0]);
    if (kind) noted.push(kind);
    return Reflect.apply(query, this, args);
  };
  return {
    take() {
      const taken = noted;
      noted = [];
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
