import { start as debug } from '../debug/debug.ts';
import { start as inspector } from '../inspector/inspector.ts';

/*
 * For builders of assistants and owners of sites only: the drawer of a preview, the console output of `debug`, and the
 * warning that no conversation opens.
 */

export { warnOwner } from '../debug/warn-owner.ts';
export { css } from '../inspector/inspector.ts';

export const addOns = { debug, inspector };
