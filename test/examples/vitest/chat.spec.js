import { expect, test } from 'vitest';
import 'voice-assistant-chat';

test('mounts, opens, notifies and unmounts', async () => {
  const chat = document.createElement('voice-assistant-chat');
  chat.assistantId = '0b9d6f6e-0000-4000-8000-000000000000';
  chat.baseUrl = 'https://assistants.example';
  document.body.append(chat);
  expect(chat.shadowRoot.querySelector('button')).not.toBeNull();
  const opened = new Promise((resolve) => chat.addEventListener('chat-open', resolve));
  chat.show();
  await opened;
  expect(chat.open).toBe(true);

  const texts = [];
  document.addEventListener('chat-message', ({ detail }) => texts.push(detail.text));
  const detail = { text: 'We deliver to Austria.', latency: 300 };
  chat.dispatchEvent(new CustomEvent('chat-message', { detail, bubbles: true, composed: true }));
  expect(texts).toEqual(['We deliver to Austria.']);
  chat.remove();
});
