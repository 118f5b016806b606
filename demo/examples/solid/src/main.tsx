import { A, Route, Router } from '@solidjs/router';
import type { ParentProps } from 'solid-js';
import { render } from 'solid-js/web';
import { Chat } from './Chat';
import './style.css';

function Home() {
  return (
    <>
      <h1>Lamps that last longer than their bulbs</h1>
      <p>Ask the assistant anything about our shop.</p>
      <Chat />
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
