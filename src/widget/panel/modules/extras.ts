import menuCss from '../menu/menu.css?inline';
import earlierCss from '../message-log/earlier-messages.css?inline';
import pageToolsCss from '../page-tools/page-tools.css?inline';
import callButtonCss from '../call/call-button.css?inline';
import { start as pageTools } from '../page-tools/page-tools.ts';
import { start as sound } from '../sound/sound.ts';
import { start as voice } from '../voice/choose-voice-mode.ts';

/*
 * Features that only some visitors use (the menu, copying, earlier messages of a long history) or only some sites turn
 * on (teaser, sound, page tools, the button for calls).
 */

export { messageCopy } from '../copying/message-copy.ts';
export { earlierIndex, earlierMessages, lastEarlier } from '../message-log/earlier-messages.ts';
export { menuFor } from '../menu/menu.ts';
export { showTeaser } from '../teaser/teaser.ts';

export const addOns = { voice, sound, pageTools };

export const css = earlierCss + menuCss + pageToolsCss + callButtonCss;
