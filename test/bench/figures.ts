import type { Note } from './visits.ts';

/** Something that must hold, worked out from the medians of what was noted. */
export interface Figure {
  readonly name: string;
  /** What `value` may be at most. */
  readonly limit: number;
  readonly unit: 'ms' | '×' | '';
  readonly value: (median: (note: Note) => number) => number;
}

const over = (note: Note, zero: Note): Figure['value'] => {
  return (median) => median(note) - median(zero);
};
const just = (note: Note): Figure['value'] => {
  return (median) => median(note);
};

/** The first six with the processor slowed down to a quarter. */
export const figures: readonly Figure[] = [
  {
    name: 'launcher visible, after a blank page',
    limit: 60,
    unit: 'ms',
    value: over('launcher painted', 'blank painted'),
  },
  {
    name: 'main thread while loading, over a blank page',
    limit: 25,
    unit: 'ms',
    value: over('chat main thread', 'blank main thread'),
  },
  {
    name: 'blocking while loading, over a blank page',
    limit: 0,
    unit: 'ms',
    value: over('chat blocking', 'blank blocking'),
  },
  { name: 'layout shift', limit: 0, unit: '', value: just('shift') },
  { name: 'click to composer, once loaded', limit: 60, unit: 'ms', value: just('click to composer') },
  { name: 'own message painted', limit: 40, unit: 'ms', value: just('own message') },
  { name: 'history of 1,000 messages', limit: 115, unit: 'ms', value: just('history of 1000') },
  { name: 'history of 10,000 messages', limit: 1_000, unit: 'ms', value: just('history of 10000') },
  {
    name: 'answer of 2,000 pieces, main thread',
    limit: 1_000,
    unit: 'ms',
    value: just('answer of 2000'),
  },
  {
    name: 'answer of 2,000 pieces, longest task',
    limit: 50,
    unit: 'ms',
    value: just('longest task of 2000'),
  },
  {
    name: 'answer of 4,000 pieces, to 2,000',
    limit: 2.2,
    unit: '×',
    value: (median) => median('answer of 4000') / median('answer of 2000'),
  },
];
