import { getTableColumns, sql } from 'drizzle-orm';
import type { Column, InferInsertModel, SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { wireTimestamp } from './wire-timestamp.ts';

/*
 * Maps whole records between the wire's snake_case and the code's camelCase: columns are named like the fields of the
 * wire.
 */

type ColumnsOf<Table extends PgTable> = Table['_']['columns'];
type NameOf<Known> = Known extends Column ? Known['_']['name'] : never;
type ValueOf<Known> = Known extends Column
  ? Known['_']['notNull'] extends true
    ? Known['_']['data']
    : Known['_']['data'] | null
  : never;

/** A row with the names of its columns. */
export type WireRow<Table extends PgTable> = {
  [Key in keyof ColumnsOf<Table> as NameOf<ColumnsOf<Table>[Key]>]: ValueOf<ColumnsOf<Table>[Key]>;
};

/** The argument of `select` for such a row. */
type Selection<Row> = { [Name in keyof Row]: SQL<Row[Name]> };

/**
 * The columns of a table for `select`, with names and timestamps as on the wire.
 *
 * @param without columns that are not on the wire.
 */
export function wireColumns<Table extends PgTable, Without extends keyof WireRow<Table> = never>(
  table: Table,
  without: readonly Without[] = [],
  write = wireTimestamp,
): Selection<Omit<WireRow<Table>, Without>> {
  const shown = Object.values(getTableColumns(table)).filter(
    ({ name }) => !(without as readonly string[]).includes(name),
  );
  return Object.fromEntries(
    shown.map((column) => [
      column.name,
      column.getSQLType().startsWith('timestamp') ? write(column) : column,
    ]),
  ) as unknown as Selection<Omit<WireRow<Table>, Without>>;
}

/**
 * Converts fields of the wire to values for `insert` and `update`; other fields are dropped. `null` becomes the
 * column's default in the migrations; absent fields are not changed.
 */
export function fromWire<Table extends PgTable>(
  table: Table,
  fields: object,
): Partial<InferInsertModel<Table>> {
  const record = fields as Record<string, unknown>;
  const values = Object.entries(getTableColumns(table))
    .filter(([, column]) => Object.hasOwn(record, column.name))
    .map(([key, column]) => {
      const value = record[column.name];
      if (value === null || value === undefined) return [key, sql`DEFAULT`];
      // Drizzle requires strings for numeric columns that it returns as strings.
      return [key, column.dataType === 'string' && typeof value === 'number' ? String(value) : value];
    });
  return Object.fromEntries(values) as Partial<InferInsertModel<Table>>;
}
