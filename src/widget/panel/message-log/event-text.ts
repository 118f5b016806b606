import type { Message } from '../../conversation/snapshot.ts';
import { durationText, type Texts } from '../../texts/texts.ts';

/** The text of a message. An event, such as a human handoff, is described in the language of the chat. */
export function textOf({ event, duration = 0, text }: Message, texts: Texts): string {
  const descriptions = {
    person_joined: texts.personJoined,
    person_left: texts.personLeft,
    handed_over: texts.person,
    call_ended: `${texts.callEnded} · ${durationText(duration)}`,
    ended: texts.ended,
  };
  return event ? descriptions[event] : text;
}
