import type { Message } from '../../conversation/snapshot.ts';
import type { Texts } from '../../texts/texts.ts';

/** The text of a message. What happened in the conversation is told in the language of the chat. */
export function textOf({ event, text }: Message, texts: Texts): string {
  const told = {
    person_joined: texts.personJoined,
    person_left: texts.personLeft,
    handed_over: texts.person,
    ended: texts.ended,
  };
  return event ? told[event] : text;
}
