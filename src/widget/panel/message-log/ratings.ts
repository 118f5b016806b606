import { fingerprint } from '../../conversation/sending/fingerprint.ts';
import { isPending, type Message, type Snapshot } from '../../conversation/snapshot.ts';
import type { PanelContext } from '../panel-context.ts';

export type Rating = 'up' | 'down' | null;

/** The maximum number of stored ratings per conversation; the oldest are dropped. */
const maxRatings = 200;

/** The visitor's rating of an answer. */
export function ratingOf(message: Message, snapshot: Snapshot): Rating {
  const rating: unknown = ratings(snapshot)[nameOf(snapshot, message)];
  return rating === 'up' || rating === 'down' ? rating : null;
}

/** Stores a rating with the conversation, and dispatches `chat-rating`. */
export function rate(message: Message, rating: Rating, { conversation, host, modules }: PanelContext): void {
  const { snapshot } = conversation;
  const name = nameOf(snapshot, message);
  const others = Object.entries(ratings(snapshot)).filter(([other]) => other !== name);
  const all = rating === null ? others : [...others, [name, rating] as const];
  conversation.choose({ ratings: Object.fromEntries(all.slice(-maxRatings)) });
  const { text, at } = message;
  const place = snapshot.messages.indexOf(message);
  const before = snapshot.messages.slice(0, Math.max(place, 0));
  host.dispatch('chat-rating', {
    text,
    rating,
    conversationId: snapshot.conversationId ?? '',
    // Messages that the service does not have are not in its history.
    index:
      (place < 0 && modules.get('extras')?.earlierIndex(snapshot, message)) ||
      before.filter((message) => !isPending(message)).length,
    at,
  });
}

function ratings({ choices }: Snapshot): NonNullable<NonNullable<Snapshot['choices']>['ratings']> {
  return choices?.ratings ?? {};
}

/**
 * A name that identifies an answer across visits, even if the service returns only the end of the history: a fingerprint
 * of the text, with a count if the text has occurred before.
 */
function nameOf({ messages }: Snapshot, { key, text, at }: Message): string {
  const same = messages.filter((message) => message.role === 'assistant' && message.text === text);
  const place = same.findIndex((message) => message.key === key);
  // A message before the loaded ones is identified by its time.
  return fingerprint(text) + (place < 0 ? `@${at}` : place > 0 ? `-${place}` : '');
}
