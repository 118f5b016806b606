/** Maximum duration in seconds of a call in a conversation of type `test`, which is free. */
const longestTestCall = 120;

/** Seconds after which a call ends. */
export const maxSecondsOf = (type: 'widget' | 'test', maxDuration: number): number =>
  type === 'test' ? Math.min(maxDuration, longestTestCall) : maxDuration;
