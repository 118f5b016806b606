const chat = document.querySelector('voice-assistant-chat');
const output = document.querySelector('output');

if (chat && output) {
  chat.variables = { first_name: 'Ada', cart: { items: 2 } };
  chat.addEventListener('chat-message', ({ detail }) => {
    output.textContent = `Last answer: ${detail.text.length} characters`;
  });
}
