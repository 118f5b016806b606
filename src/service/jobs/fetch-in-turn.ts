import type { Db } from 'pg-boss';

/** An arbitrary number that no other advisory lock uses. */
const fetchLock = 7_303_014_119;

/**
 * Runs pg-boss's fetches with a limit per group one after the other, across processes. Simultaneous ones do not see each
 * other's jobs, so together they would exceed the limit.
 */
export function fetchInTurn(execute: Db['executeSql']): Db['executeSql'] {
  let latest: Promise<unknown> = Promise.resolve();
  return (text, values = []) => {
    // pg-boss's name for a part of these fetches. If an update changes it, the test of limits over processes fails.
    if (!text.includes('group_filtered')) return execute(text, values);
    // One query, so that the database releases the lock by itself, even if this process freezes.
    const lock = `DO $$ BEGIN PERFORM pg_advisory_xact_lock(${fetchLock}); END $$`;
    // In turns, since each of them would need a connection of the pool to wait.
    const fetched = latest.then(() => execute(`${lock};${withNumbers(text, values)}`));
    latest = fetched.catch(() => undefined);
    return fetched;
  };
}

/** Inserts values into a statement, since a query of several statements can have none. */
const withNumbers = (text: string, values: unknown[]) =>
  text.replace(/\$(\d+)/g, (_, position: string) => {
    const value = values[Number(position) - 1];
    if (!Number.isInteger(value)) throw new TypeError(`Only integers can be inserted, not $${position}.`);
    return String(value);
  });
