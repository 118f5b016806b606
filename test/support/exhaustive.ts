import process from 'node:process';

/** Whether tests over many combinations run all of them, as `npm test -- exhaustive` does, instead of a selection. */
export const isExhaustive = process.env.TEST_EXHAUSTIVE === '1';
