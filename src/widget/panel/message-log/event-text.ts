import type { Message } from '../../conversation/snapshot.ts';
import type { Texts } from '../../texts/texts.ts';

/** The text of a message. An event, such as a human handoff, is described in the language of the chat. */
export function textOf({ event, text }: Message, texts: Texts): string {
  const descriptions = {
    person_joined: texts.personJoined,
    person_left: texts.personLeft,
    handed_over: texts.person,
    ended: texts.ended,
  };
  return event ? descriptions[event] : text;
}
