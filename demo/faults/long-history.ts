import type { FaultRequest } from './fault.ts';

/** Entries of the history before the conversation is opened, and their maximum number per answer. */
export const longHistory = { lines: 2400, atOnce: 1000 } as const;

/** Minutes between a question and the next. */
const pause = 20;

const questions = ['Are the boots waterproof?', 'Do you resole them?', 'Which size fits 27 cm?'];
const answers = [
  'Yes, all with a **membrane**. It lasts longer when you wax the leather.',
  'Twice at least, for 79 euros. It takes:\n\n- a week in winter\n- two weeks in spring',
  'Size `43`. With thick socks take half a size more.',
];

/** An entry of a conversation of several weeks, oldest first. */
function lineAt(index: number, now: number): object {
  const turn = Math.floor(index / 2);
  const isQuestion = index % 2 === 0;
  const text = (isQuestion ? questions : answers)[turn % questions.length] ?? '';
  const turns = longHistory.lines / 2;
  return {
    role: isQuestion ? 'user' : 'assistant',
    content: isQuestion ? `${text} (${String(turn + 1)} of ${String(turns)})` : text,
    created_at: new Date(now - (turns - turn) * pause * 60_000).toISOString(),
  };
}

/** Returns the end of a long history, and earlier entries by cursor, as our service does. */
export function answerLongHistory({
  context,
  step,
  conversation,
  conversations,
}: FaultRequest): Response | undefined {
  const { lines, atOnce } = longHistory;
  const now = Date.now();
  const before = context.req.query('before');
  const end = Math.min(Math.max(before === undefined ? lines : Math.floor(Number(before)) || 0, 0), lines);
  const start = Math.max(0, end - atOnce);
  const page = Array.from({ length: end - start }, (_, at) => lineAt(start + at, now));
  if (step === 'open')
    return context.json({ status: true, conversation_id: conversations.open().uuid, history: page });
  if (conversation === undefined) return undefined;
  const earlier = start > 0 ? { earlier_cursor: String(start) } : {};
  // Without the greeting.
  const since = before === undefined ? conversation.history.slice(1) : [];
  return context.json({ status: true, history: [...page, ...since], ...earlier, variables: null });
}
