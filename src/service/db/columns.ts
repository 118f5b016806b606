import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** Bytes, such as a hash. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A moment with PostgreSQL's microseconds, which a JavaScript date would lose. */
export const moment = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 6, mode: 'string' });

/** A number of rows that may outgrow 32 bits. */
export const rowId = (name = 'id') => bigint(name, { mode: 'number' });
