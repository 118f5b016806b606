import { fingerprint } from '../../conversation/sending/fingerprint.ts';
import { isPending, type Message, type Snapshot } from '../../conversation/snapshot.ts';
import type { PanelModel } from '../panel-model.ts';

export type Rating = 'up' | 'down' | null;

/** How many ratings of one conversation are kept; with more, the first are dropped. */
const most = 200;

/** What the visitor thinks of an answer. */
export function ratingOf({ snapshot }: PanelModel, message: Message): Rating {
  const rating: unknown = ratings(snapshot)[nameOf(snapshot, message)];
  return rating === 'up' || rating === 'down' ? rating : null;
}

/** Keeps what the visitor thinks of an answer with the conversation, and tells the page. */
export function rate({ panel, snapshot }: PanelModel, message: Message, rating: Rating): void {
  const { conversation } = panel.state();
  const name = nameOf(snapshot, message);
  const others = Object.entries(ratings(conversation.snapshot)).filter(([other]) => other !== name);
  const all = rating === null ? others : [...others, [name, rating] as const];
  conversation.choose({ ratings: Object.fromEntries(all.slice(-most)) });
  const { text, at } = message;
  const place = snapshot.messages.indexOf(message);
  const before = snapshot.messages.slice(0, Math.max(place, 0));
  panel.host.dispatch('chat-rating', {
    text,
    rating,
    conversationId: snapshot.conversationId ?? '',
    // What the service does not have is not in its history.
    index:
      (place < 0 && panel.modules.get('talk')?.placeBefore(snapshot, message)) ||
      before.filter((message) => !isPending(message)).length,
    at,
  });
}

function ratings({ choices }: Snapshot): NonNullable<NonNullable<Snapshot['choices']>['ratings']> {
  return choices?.ratings ?? {};
}

/**
 * Tells an answer from the others also at the next visit, and where a service gives no more than the end of its
 * history: by what it says, and how often that was said before.
 */
function nameOf({ messages }: Snapshot, { key, text, at }: Message): string {
  const same = messages.filter((message) => message.role === 'assistant' && message.text === text);
  const place = same.findIndex((message) => message.key === key);
  // One from before these: there it is told by its time.
  return fingerprint(text) + (place < 0 ? `@${at}` : place > 0 ? `-${place}` : '');
}
