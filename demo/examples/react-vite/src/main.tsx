import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import 'voice-assistant-chat';
import './style.css';

const customer = { first_name: 'Ada', cart: { items: 2 } };

function Home() {
  const [answer, setAnswer] = useState('No answer yet');
  return (
    <>
      <h1>Lamps that last longer than their bulbs</h1>
      <p>Ask the assistant anything about our shop.</p>
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

function About() {
  return (
    <>
      <h1>About us</h1>
      <p>We have built lamps in Graz since 1987.</p>
    </>
  );
}

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <BrowserRouter>
      <nav>
        <Link to="/">Home</Link> <Link to="/about">About</Link>
      </nav>
      <Routes>
        <Route path="/" element={<Home />} />
        <Route path="/about" element={<About />} />
      </Routes>
    </BrowserRouter>
  </StrictMode>,
);
