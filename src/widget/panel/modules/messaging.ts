import placeCss from '../place/place.css?inline';
import { css as problemCss } from '../problem-notice.ts';
import messageActionsCss from '../message-log/message-actions.css?inline';
import messageLogCss from '../message-log/message-log.css?inline';
import { css as suggestionsCss } from '../above-composer/above-composer.ts';

/* Everything that a conversation in progress needs: sending and streaming, the message log, problems, suggestions, resizing. */

export * from '../../conversation/messaging-exports.ts';
export { fitPanel } from '../place/fit-panel.ts';
export { textOf } from '../message-log/event-text.ts';
export { LogController } from '../message-log/log-controller.ts';
export { problemNotice } from '../problem-notice.ts';
export { aboveComposer, deleteLeft, offerUndo } from '../above-composer/above-composer.ts';

export const css = [placeCss, messageLogCss, messageActionsCss, problemCss, suggestionsCss].join('');
