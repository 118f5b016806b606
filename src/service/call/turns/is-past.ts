/** Seconds. Allows for rounding errors in sums of fractions. */
export const tolerance = 0.01;

/** Whether a time on a line's clock has come. */
export const isPast = (time: number, now: number): boolean => now >= time - tolerance;
