import callCss from '../call/call.css?inline';
import voiceCss from '../voice/voice.css?inline';

/*
 * Calls, except for their buttons, and dictation with reading aloud: loaded with the first call, in this tab or another
 * one, or where a site asks for dictation or calls cannot work.
 */

export { createCalls } from '../call/calls.ts';
export { start as startDictation } from '../voice/voice.ts';

export const css = callCss + voiceCss;
