/** Node.js options that shift the clock of a process. */
export function shiftedClock(minutes: number): string {
  const script = `const Real = Date;
    globalThis.Date = class Date extends Real {
      constructor(...given) { if (given.length > 0) super(...given); else super(Date.now()); }
      static now() { return Real.now() + ${minutes * 60_000}; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}
