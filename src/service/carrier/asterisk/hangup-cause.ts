/** Causes of Q.850, which Asterisk reports for a call that was not answered. */
const busy = [17, 21];
const noAnswer = [0, 16, 18, 19, 26, 102];

/** Returns why a call was not answered. Everything else, such as an unknown number, is a failure. */
export function unreachedReason(cause: number): 'busy' | 'no-answer' | 'failed' {
  if (busy.includes(cause)) return 'busy';
  return noAnswer.includes(cause) ? 'no-answer' : 'failed';
}
