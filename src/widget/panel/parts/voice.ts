/** Dictation, reading aloud and the button for calls: loaded only where a site or an assistant offers them. */
export { start as startVoice } from '../voice/start-voice.ts';
export { default as css } from '../voice/voice.css?inline';
