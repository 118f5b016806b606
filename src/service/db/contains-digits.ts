import { sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';

/** Whether a text contains digits. An index on its trigrams finds three digits and more. */
export const containsDigits = (text: SQLWrapper, digits: string): SQL => sql`${text} LIKE ${`%${digits}%`}`;
