import menuCss from '../menu/menu.css?inline';
import earlierCss from '../reading/earlier-messages.css?inline';
import pageToolsCss from '../page-tools/page-tools.css?inline';
import callButtonCss from '../call/call-button.css?inline';

/*
 * Features that only some visitors use (the menu, copying, earlier messages of a long history) or only some sites turn
 * on (teaser, sound, page tools, the button for calls).
 */

export { messageCopy } from '../copying/message-copy.ts';
export { earlierIndex, earlierMessages, lastEarlier } from '../reading/earlier-messages.ts';
export { menuFor } from '../menu/menu.ts';
export { showTeaser } from '../teaser/teaser.ts';
export { start as startPageTools } from '../page-tools/page-tools.ts';
export { start as startSound } from '../sound/sound.ts';
export { start as startVoice } from '../voice/start-voice.ts';

export const css = earlierCss + menuCss + pageToolsCss + callButtonCss;
