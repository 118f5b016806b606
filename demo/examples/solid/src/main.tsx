import { A, Route, Router } from '@solidjs/router';
import { createSignal, type ParentProps } from 'solid-js';
import { render } from 'solid-js/web';
import 'voice-assistant-chat';
import './style.css';

const customer = { first_name: 'Ada', cart: { items: 2 } };

function Home() {
  const [answer, setAnswer] = createSignal('No answer yet');
  return (
    <>
      <h1>Lamps that last longer than their bulbs</h1>
      <p>Ask the assistant anything about our shop.</p>
      <output>{answer()}</output>
      <voice-assistant-chat
        assistant-id="ASSISTANT-UUID"
        base-url="https://assistants.example"
        heading="Ask Lumen"
        variables={customer}
        on:chat-message={({ detail }) => setAnswer(`Last answer: ${detail.text.length} characters`)}
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

function Layout(props: ParentProps) {
  return (
    <>
      <nav>
        <A href="/">Home</A> <A href="/about">About</A>
      </nav>
      {props.children}
    </>
  );
}

render(
  () => (
    <Router root={Layout}>
      <Route path="/" component={Home} />
      <Route path="/about" component={About} />
    </Router>
  ),
  document.querySelector('#app')!,
);
