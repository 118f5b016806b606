/**
 * What a visitor may want when the connection is gone. It comes in idle time, once the conversation is open: what has
 * been imported by then is there when it is asked for.
 */
export { problemNotice } from './problem-notice.ts';
export { offerUndo } from './suggestions/above-composer.ts';
export { menuFor } from './menu/menu.ts';
