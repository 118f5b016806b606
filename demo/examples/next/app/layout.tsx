import Link from 'next/link';
import type { ReactNode } from 'react';
import './style.css';

export const metadata = { title: 'Lumen · Lamps', icons: { icon: 'data:,' } };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/">Home</Link> <Link href="/about">About</Link>
        </nav>
        {children}
      </body>
    </html>
  );
}
