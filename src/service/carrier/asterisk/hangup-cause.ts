/** Q.850 causes that Asterisk reports for unanswered calls. */
const busy = [17, 21];
const noAnswer = [0, 16, 18, 19, 26, 102];

/** Returns why a call was not answered. Any other cause, such as an unknown number, is a failure. */
export function unreachedReason(cause: number): 'busy' | 'no-answer' | 'failed' {
  if (busy.includes(cause)) return 'busy';
  return noAnswer.includes(cause) ? 'no-answer' : 'failed';
}
