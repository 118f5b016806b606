import type { Note } from './visits.ts';

/** A figure with a limit, calculated from the medians of the measurements. */
export interface Figure {
  readonly name: string;
  /** Maximum of `value`. */
  readonly limit: number;
  readonly unit: 'ms' | '×' | '';
  readonly value: (median: (note: Note) => number) => number;
}

const difference = (note: Note, baseline: Note): Figure['value'] => {
  return (median) => median(note) - median(baseline);
};
const medianOf = (note: Note): Figure['value'] => {
  return (median) => median(note);
};

/** The first six figures are measured with the processor slowed down four times. */
export const figures: readonly Figure[] = [
  {
    name: 'launcher visible, after a blank page',
    limit: 60,
    unit: 'ms',
    value: difference('launcher painted', 'blank painted'),
  },
  {
    name: 'main thread while loading, over a blank page',
    limit: 25,
    unit: 'ms',
    value: difference('chat main thread', 'blank main thread'),
  },
  {
    name: 'blocking while loading, over a blank page',
    limit: 0,
    unit: 'ms',
    value: difference('chat blocking', 'blank blocking'),
  },
  { name: 'layout shift', limit: 0, unit: '', value: medianOf('shift') },
  { name: 'click to composer, once loaded', limit: 60, unit: 'ms', value: medianOf('click to composer') },
  { name: 'own message painted', limit: 40, unit: 'ms', value: medianOf('own message') },
  { name: 'history of 1,000 messages', limit: 115, unit: 'ms', value: medianOf('history of 1000') },
  { name: 'history of 10,000 messages', limit: 1_000, unit: 'ms', value: medianOf('history of 10000') },
  {
    name: 'answer of 2,000 chunks, main thread',
    limit: 1_000,
    unit: 'ms',
    value: medianOf('answer of 2000'),
  },
  {
    name: 'answer of 2,000 chunks, longest task',
    limit: 50,
    unit: 'ms',
    value: medianOf('longest task of 2000'),
  },
  {
    name: 'answer of 4,000 chunks, to 2,000',
    limit: 2.2,
    unit: '×',
    value: (median) => median('answer of 4000') / median('answer of 2000'),
  },
];
