import { messageFrom, type HistoryItem } from './message-from.ts';
import { isPending, type Message } from './snapshot.ts';

/** What shows of a history, with what is pending. What showed before stays as it is, for which a part is loaded. */
export async function shownMessages(
  shown: () => readonly Message[],
  history: readonly HistoryItem[],
): Promise<readonly Message[]> {
  if (!shown().every(isPending)) {
    try {
      const { withHistory } = await import('./look-up.ts');
      return withHistory(shown(), history);
    } catch {
      // Then all of it is drawn anew.
    }
  }
  return [...history.map(messageFrom), ...shown().filter(isPending)];
}
