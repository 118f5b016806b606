import { getTableColumns, sql } from 'drizzle-orm';
import type { Column, InferInsertModel, SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { wireTimestamp } from './wire-timestamp.ts';

/*
 * The one place where the wire's snake_case meets the code's camelCase for whole records: a column is named as the
 * wire names its field.
 */

type ColumnsOf<Table extends PgTable> = Table['_']['columns'];
type NameOf<Known> = Known extends Column ? Known['_']['name'] : never;
type ValueOf<Known> = Known extends Column
  ? Known['_']['notNull'] extends true
    ? Known['_']['data']
    : Known['_']['data'] | null
  : never;

/** A row by the names of its columns. */
export type WireRow<Table extends PgTable> = {
  [Key in keyof ColumnsOf<Table> as NameOf<ColumnsOf<Table>[Key]>]: ValueOf<ColumnsOf<Table>[Key]>;
};

/** What `select` takes for such a row. */
type Selection<Row> = { [Name in keyof Row]: SQL<Row[Name]> };

/**
 * The columns of a table, for `select`: named as on the wire, moments as the wire writes them.
 *
 * @param without columns that the wire does not show.
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
 * Fields of the wire as values for `insert` and `update`: those that are columns. `null` becomes the column's default,
 * which the migrations know; absent fields stay as they are.
 */
export function fromWire<Table extends PgTable>(
  table: Table,
  fields: object,
): Partial<InferInsertModel<Table>> {
  const given = fields as Record<string, unknown>;
  const values = Object.entries(getTableColumns(table))
    .filter(([, column]) => Object.hasOwn(given, column.name))
    .map(([key, column]) => {
      const value = given[column.name];
      if (value === null || value === undefined) return [key, sql`DEFAULT`];
      // Drizzle wants decimals as text where it gives them as text.
      return [key, column.dataType === 'string' && typeof value === 'number' ? String(value) : value];
    });
  return Object.fromEntries(values) as Partial<InferInsertModel<Table>>;
}
