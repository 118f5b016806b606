import type { Conversation } from '../../conversation/conversation.ts';
import type { ChatEventMap } from '../../events.ts';
import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { ConversationLog } from './conversation-log.ts';
import { settingsTable } from './settings-table.ts';
import { logLine } from './log-line.ts';
import { watchRequests } from './watch-requests.ts';

/** Logs settings, requests, errors and the conversation's states to the console. */
export function start(panel: PanelContext): AddOn {
  return new Debug(panel);
}

class Debug implements AddOn {
  readonly #panel: PanelContext;
  readonly #log = new ConversationLog();
  #controller: AbortController | undefined;
  #logged = '';

  constructor(panel: PanelContext) {
    this.#panel = panel;
  }

  readonly update = (): void => {
    if (this.#controller === undefined) this.#begin();
    const table = settingsTable(this.#panel);
    const json = JSON.stringify(table);
    if (json === this.#logged) return;
    this.#logged = json;
    logLine('Settings:', table);
  };

  readonly conversationChanged = ({ snapshot }: Conversation): void => {
    this.#log.follow(snapshot);
  };

  readonly stop = (): void => {
    this.#controller?.abort();
    this.#controller = undefined;
  };

  #begin(): void {
    const controller = (this.#controller = new AbortController());
    const { element } = this.#panel.host;
    controller.signal.addEventListener(
      'abort',
      watchRequests(() => this.#panel.options.baseUrl),
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
        { signal: controller.signal },
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
