let numbers = 0;

/**
 * Returns the number of a simulated customer who answers and talks. Each number is used once.
 *
 * @param questions the third question, about prices, ends in a transfer.
 */
export const nextNumber = (questions: 1 | 3 = 1): string =>
  `+49891${String(numbers++).padStart(4, '0')}0${questions - 1}00`;
