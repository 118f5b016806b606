import { Client } from 'pg';

/** The kind of a statement, which determines its cost. */
export type Kind = 'begin' | 'select' | 'insert' | 'update' | 'commit';

/**
 * The statements of one operation, in order. Each is a round trip to the database of the bare route, while the service
 * may make several changes in one statement.
 */
export type RoundTrips = readonly Kind[];

/** Records every statement that this process sends through `pg` from now on. `take` returns and clears them. */
export function recordStatements(): { take: () => RoundTrips } {
  let recorded: Kind[] = [];
  const prototype = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const query = prototype.query;
  prototype.query = function (...args) {
    recorded.push(...kindsOf(args[0]));
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

function kindsOf(statement: unknown): Kind[] {
  const given =
    typeof statement === 'string' ? statement : (statement as { text?: string } | undefined)?.text;
  const text = given?.trim().toLowerCase() ?? '';
  const [word] = text.split(/\s/);
  if (word === 'begin' || word === 'insert' || word === 'update' || word === 'commit') return [word];
  if (word === 'select') return [word];
  if (word !== 'with') return [];
  // The changes in parentheses, and the one after them.
  const changes = [...text.matchAll(/[()]\s*(insert|update)\b/g)].map(([, kind]) => kind as Kind);
  return changes.length > 0 ? changes : ['select'];
}
