/** What only an assistant's builder asks for: the drawer of a preview, and what `debug` writes to the console. */
export { css, inspectButton, inspector, testMark } from '../inspector.ts';
export { start as startDebug } from '../debug/debug.ts';
