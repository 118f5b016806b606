import { render } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { Chat } from './chat';
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

render(
  <LocationProvider>
    <nav>
      <a href="/">Home</a> <a href="/about">About</a>
    </nav>
    <Router>
      <Route path="/" component={Home} />
      <Route path="/about" component={About} />
    </Router>
  </LocationProvider>,
  document.querySelector('#app')!,
);
