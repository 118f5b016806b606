import { inArray } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';

/** Matches calls that have not ended. */
export const isOpen = inArray(calls.status, openCallStatuses);
