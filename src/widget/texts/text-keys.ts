import { en } from './en.ts';
import { enLate } from './en-late.ts';

/** The name of every text, in one fixed order. The build writes them out, so that no English comes along. */
export const textKeys: readonly string[] = [...Object.keys(en), ...Object.keys(enLate)];
