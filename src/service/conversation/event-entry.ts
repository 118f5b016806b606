import type { HistoryEvent } from '../../contract/chat-endpoints.ts';
import type { AddedLine } from './add-entry.ts';

/** The text of each event in the history. Clients that know the event may show a text of their own instead. */
const eventTexts: Record<HistoryEvent, string> = {
  person_joined: 'A person has joined the conversation.',
  person_left: 'The assistant is back.',
  handed_over: 'The assistant has handed the conversation over to a person.',
  call_ended: 'The call has ended.',
  ended: 'The assistant has ended the conversation.',
};

/** The entry that reports an event in the history. */
export function eventEntry(
  event: Exclude<HistoryEvent, 'call_ended'>,
  phoneNumber: string | null = null,
): AddedLine {
  const text = eventTexts[event];
  return {
    role: 'system',
    event,
    content: phoneNumber === null ? text : text.replace(/\.$/, `: ${phoneNumber}.`),
  };
}

/** The entry that reports the end of a call. @param duration seconds */
export const callEndedEntry = (duration: number): AddedLine => ({
  role: 'system',
  event: 'call_ended',
  content: eventTexts.call_ended,
  duration,
});
