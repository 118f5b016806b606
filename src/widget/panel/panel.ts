/** What the shell loads when a visitor is about to open the chat, or a teaser is to be shown. */
export { ChatPanel } from './chat-panel.ts';
export { showTeaser } from './teaser/teaser.ts';
