/** Calls, except for the button: loaded with the first call, in this tab or another one. */
export { createCalls } from '../call/calls.ts';
export { default as css } from '../call/call.css?inline';
