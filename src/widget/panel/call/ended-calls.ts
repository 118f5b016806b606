import { html, type TemplateResult } from 'lit/html.js';
import type { Session } from '../../conversation/session.ts';
import type { Message } from '../../conversation/snapshot.ts';
import { allTexts } from '../../texts/call-texts.ts';
import type { Locale } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { callDuration, hangUpIcon } from './call-bar.ts';

/** The calls that have ended on this page, each shown as a line in the conversation. */
export interface EndedCalls {
  /**
   * Adds a line at the end of a conversation. Returns a function to call once the messages that the service has stored
   * have replaced those of the call.
   *
   * @param seconds how long it was; no line is added if it is undefined
   */
  readonly add: (session: Session, seconds: number | undefined) => () => void;
  /** The lines below a message, if any. */
  readonly below: (message: Message) => unknown;
}

export function createEndedCalls(panel: PanelContext): EndedCalls {
  /** Each call with the key of the last message before its end. */
  const ended: { readonly session: Session; readonly seconds: number; key?: string | undefined }[] = [];
  /** By text, since a message is rendered again if the content below it is another object. */
  const lines: Record<string, TemplateResult> = {};

  return {
    add: (session, seconds) => {
      if (seconds === undefined) return () => undefined;
      const end: (typeof ended)[number] = { session, seconds };
      const endedAt = session.environment.now();
      const place = (): void => {
        const { messages } = session.snapshot;
        // The service's clock may differ, so its times are not compared. Its messages are older, or arrive later.
        const next = messages.findIndex(({ key, at = 0 }) => at > endedAt && !key.startsWith('history'));
        const before = next < 0 ? messages : messages.slice(0, next);
        end.key = before.findLast(({ text }) => text.trim())?.key;
      };
      ended.push(end);
      place();
      return place;
    },
    below: ({ key }) => {
      const { callEnded } = allTexts(panel.locale as Locale);
      const text = ended
        .filter((end) => end.key === key && end.session === panel.conversation.session)
        .map(({ seconds }) => `${callEnded} · ${callDuration(seconds)}`)
        .join('\n');
      return text && (lines[text] ??= html`<small class="state call-ended">${hangUpIcon}${text}</small>`);
    },
  };
}
