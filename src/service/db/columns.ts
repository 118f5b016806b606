import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** Bytes, such as a hash. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

declare const sealedBrand: unique symbol;

/** A secret as stored. Only `SecretBox` creates and reads it. */
export type Sealed = string & { [sealedBrand]: true };

/** A secret, encrypted unless the service has no keys. */
export const sealed = customType<{ data: Sealed; driverData: string }>({ dataType: () => 'text' });

/** A timestamp with PostgreSQL's microseconds, which a JavaScript date would lose. */
export const timestamptz = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 6, mode: 'string' });

/** An id that may exceed 32 bits. */
export const rowId = (name = 'id') => bigint(name, { mode: 'number' });
