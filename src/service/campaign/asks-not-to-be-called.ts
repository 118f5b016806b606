/*
 * Who says so is not called again, whatever else was agreed: the law of many countries wants it, and it must not
 * depend on a language model. Plain words only; what they miss, an evaluation can find (see settle-leads.ts).
 */
const wishes = [
  /\b(do not|don't|dont|never|stop) (ever )?(call|calling|phone|phoning|ring|ringing) (me|us|here|this number)\b/i,
  /\b(take|remove) (me|us|my number|our number) (off|from) (your|the) (call(ing)? )?list\b/i,
  /\b(rufen|ruft|ruf) .{0,30}\b(nicht|nie) (mehr|wieder) an\b/i,
  /\bnicht (mehr|wieder) an(zu)?rufen\b/i,
  /\bkeine (weiteren )?anrufe mehr\b/i,
  /لا تتصل[وا]* (بي|بنا)/,
];

/** Whether the customer asked, in a call, not to be called again. */
export const asksNotToBeCalled = (lines: readonly { role: string; content: string }[]): boolean =>
  lines.some(({ role, content }) => role === 'user' && wishes.some((wish) => wish.test(content)));
