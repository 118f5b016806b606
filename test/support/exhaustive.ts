import process from 'node:process';

/** Whether tests cover every combination, as with `npm test -- exhaustive`, rather than a selection. */
export const isExhaustive = process.env.TEST_EXHAUSTIVE === '1';
