import menuCss from '../menu/menu.css?inline';
import pageToolsCss from '../page-tools/page-tools.css?inline';
import { css as problemCss } from '../problem-notice.ts';
import earlierCss from '../reading/earlier-messages.css?inline';
import messageToolsCss from '../reading/message-tools.css?inline';
import readingCss from '../reading/reading.css?inline';
import { css as suggestionsCss } from '../suggestions/above-composer.ts';

/*
 * Everything that a conversation needs once it is under way. One file: it loads when the open panel rests, or with the
 * visitor's first key.
 */

export { earlierMessages, lastEarlier, placeBefore, withEarlier } from '../reading/earlier-messages.ts';
export { messageTools, usedTools } from '../reading/message-tools.ts';
export { Reading } from '../reading/reading.ts';
export { problemNotice } from '../problem-notice.ts';
export { aboveComposer, offerUndo, withdrawUndo } from '../suggestions/above-composer.ts';
export { menuFor } from '../menu/menu.ts';
export { start as startPageTools } from '../page-tools/page-tools.ts';
export { start as startSound } from '../sound/sound.ts';

export const css = [
  readingCss,
  earlierCss,
  messageToolsCss,
  problemCss,
  suggestionsCss,
  menuCss,
  pageToolsCss,
].join('');
