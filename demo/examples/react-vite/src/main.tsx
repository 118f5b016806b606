import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
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
