import { useState } from 'preact/hooks';
import 'voice-assistant-chat';

const customer = { first_name: 'Ada', cart: { items: 2 } };

export function Chat() {
  const [answer, setAnswer] = useState('No answer yet');
  return (
    <>
      <output>{answer}</output>
      <voice-assistant-chat
        assistant-id="ASSISTANT-UUID"
        base-url="https://assistants.example"
        heading="Ask Lumen"
        variables={customer}
        onchat-message={({ detail }) => setAnswer(`Last answer: ${detail.text.length} characters`)}
      />
    </>
  );
}
