/** Dictation and reading aloud: loaded only where a site asks for them, or where calls cannot work. */
export { start as startDictation } from '../voice/voice.ts';
export { default as css } from '../voice/voice.css?inline';
