import { start as debug } from '../debug/debug.ts';

/* For the builder of an assistant only: the drawer of a preview, and the console output of `debug`. */

export { css, Inspector } from '../inspector.ts';

export const addOns = { debug };
