'use client';

import { useState } from 'react';
import { VoiceAssistantChat } from 'voice-assistant-chat/react';

export function Chat({ customer }: { customer: object }) {
  const [answer, setAnswer] = useState('No answer yet');
  return (
    <>
      <output>{answer}</output>
      <VoiceAssistantChat
        assistantId="ASSISTANT-UUID"
        baseUrl="https://assistants.example"
        heading="Ask Lumen"
        variables={customer}
        onChatMessage={({ detail }) => setAnswer(`Last answer: ${detail.text.length} characters`)}
      />
    </>
  );
}
