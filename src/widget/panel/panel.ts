/** The shell loads this when a visitor is about to open the chat. */
export { ChatPanel } from './chat-panel.ts';
