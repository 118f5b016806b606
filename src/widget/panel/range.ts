/** The numbers from 0 to `count - 1`. Not by `Array.from`: pages with Prototype.js have one that ignores its callback. */
export const range = (count: number): number[] => [...Array(count).keys()];
