import { Chat } from './chat';

export default function Home() {
  return (
    <>
      <h1>Lamps that last longer than their bulbs</h1>
      <p>Ask the assistant anything about our shop.</p>
      <Chat customer={{ first_name: 'Ada', cart: { items: 2 } }} />
    </>
  );
}
