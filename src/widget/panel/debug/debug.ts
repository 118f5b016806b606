import type { Conversation } from '../../conversation/conversation.ts';
import type { ChatEventMap } from '../../events.ts';
import type { AddOn, AddOnReach } from '../add-on.ts';
import { ConversationLog } from './conversation-log.ts';
import { settingsTable } from './settings-table.ts';
import { logLine } from './log-line.ts';
import { watchRequests } from './watch-requests.ts';

/** Logs what the chat does, and why, to the console. */
export function start(reach: AddOnReach): AddOn {
  return new Debug(reach);
}

class Debug implements AddOn {
  readonly #reach: AddOnReach;
  readonly #log = new ConversationLog();
  #life: AbortController | undefined;
  #logged = '';

  constructor(reach: AddOnReach) {
    this.#reach = reach;
  }

  readonly update = (): void => {
    if (this.#life === undefined) this.#begin();
    const table = settingsTable(this.#reach);
    const json = JSON.stringify(table);
    if (json === this.#logged) return;
    this.#logged = json;
    logLine('What it goes by:', table);
  };

  readonly follow = ({ snapshot }: Conversation): void => {
    this.#log.follow(snapshot);
  };

  readonly stop = (): void => {
    this.#life?.abort();
    this.#life = undefined;
  };

  #begin(): void {
    const life = (this.#life = new AbortController());
    const { element } = this.#reach.host;
    life.signal.addEventListener(
      'abort',
      watchRequests(() => this.#reach.state().options.baseUrl),
    );
    const on = <Name extends keyof ChatEventMap>(
      name: Name,
      line: (event: ChatEventMap[Name]) => void,
    ): void => {
      element.addEventListener(
        name,
        (event) => {
          line(event);
        },
        { signal: life.signal },
      );
    };
    on('chat-open', () => {
      logLine('The chat was opened.');
    });
    on('chat-close', () => {
      logLine('The chat was closed.');
    });
    on('chat-send', (event) => {
      // After all other listeners.
      queueMicrotask(() => {
        if (event.defaultPrevented) logLine('The page prevented chat-send: the message is not sent.');
      });
    });
    on('chat-tool', ({ detail }) => {
      logLine(`The page’s function ${detail.name}: ${detail.outcome}.`);
    });
    on('chat-rating', ({ detail }) => {
      logLine(`An answer was rated: ${detail.rating ?? 'no longer'}.`);
    });
  }
}
