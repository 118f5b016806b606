import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Message } from '../../conversation/snapshot.ts';
import { showCopied } from '../copying/show-copied.ts';
import { hasClipboard, writeClipboard } from '../copying/write-clipboard.ts';
import { icon } from '../icons.ts';
import type { Locale } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { timeOf } from './message-surroundings.ts';
import { rate, ratingOf } from './ratings.ts';

const copyIcon = icon('M9 9h11v11H9zM5 15H4V4h11v1');
const thumb = 'M7 11v9H3v-9zm0 0 4-8c2 0 3 1 3 3v3h5l2 2-2 8-1 1H7';
const upIcon = icon(thumb);
const downIcon = icon(thumb, 'upside-down');

/**
 * The time of a message, and the buttons to copy and rate it. They have `tabindex` since buttons in Safari do not take the
 * focus: outside the message, it would hide them.
 */
export function messageActions(message: Message, locale: Locale, panel: PanelContext): TemplateResult {
  const { texts } = locale;
  const { role, at } = message;
  const rating = ratingOf(message, panel.conversation.snapshot);
  const copy = ({ currentTarget }: Event): void => {
    const button = currentTarget as HTMLElement;
    const { modules } = panel;
    const copying = writeClipboard(
      modules.import('extras').then(({ messageCopy }) => messageCopy(message, modules)),
    );
    void showCopied(copying, button, panel.announcer, texts, (text) => {
      button.title = text ?? texts.copyMessage;
      if (text === undefined) delete button.dataset['result'];
      else button.dataset['result'] = text;
    });
  };
  const thumbButton = (value: 'up' | 'down', label: string, thumbIcon: TemplateResult): TemplateResult =>
    html`<button
      type="button"
      part="rate-button"
      aria-pressed=${rating === value}
      title=${label}
      @click=${() => {
        rate(message, rating === value ? null : value, panel);
      }}
    >
      ${thumbIcon}
    </button>`;
  return html`<div part="message-tools" tabindex="-1">
    ${at === undefined ? nothing : html`<time datetime=${new Date(at).toISOString()}>${timeOf(at, locale.formats)}</time>`}
    ${
      hasClipboard()
        ? html`<button type="button" part="copy-button" title=${texts.copyMessage} @click=${copy}>
            ${copyIcon}
          </button>`
        : nothing
    }
    ${
      role === 'assistant'
        ? [thumbButton('up', texts.helpful, upIcon), thumbButton('down', texts.notHelpful, downIcon)]
        : nothing
    }
  </div>`;
}
