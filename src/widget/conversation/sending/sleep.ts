import { ChatError } from '../../../client/chat-client.ts';

/**
 * Waits, and leaves nothing behind.
 *
 * @throws {ChatError} `aborted` when the signal is
 */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(new ChatError('aborted', 'It is not waited for any more.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    }, milliseconds);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
