/** The entry of the panel; the shell loads it when a visitor is about to open the chat. */
export { ChatPanel } from './chat-panel.ts';
