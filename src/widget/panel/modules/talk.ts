import placeCss from '../place/place.css?inline';
import { css as problemCss } from '../problem-notice.ts';
import messageToolsCss from '../message-log/message-tools.css?inline';
import readingCss from '../message-log/reading.css?inline';
import { css as suggestionsCss } from '../suggestions/above-composer.ts';

/* Everything that a conversation in progress needs: sending and streaming, reading, problems, suggestions, resizing. */

export * from '../../conversation/talk-exports.ts';
export { fitPanel } from '../place/fit-panel.ts';
export { textOf } from '../message-log/event-text.ts';
export { Reading } from '../message-log/reading.ts';
export { problemNotice } from '../problem-notice.ts';
export { aboveComposer, deleteLeft, offerUndo } from '../suggestions/above-composer.ts';

export const css = [placeCss, readingCss, messageToolsCss, problemCss, suggestionsCss].join('');
