import { html, nothing, type TemplateResult } from 'lit/html.js';
import { isUnsent } from '../conversation/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import { composer } from './composer.ts';
import { header } from './header.ts';
import { messageLog, messagePages, notice, type LogValues } from './message-log.ts';
import { headingOf } from './options.ts';
import type { PanelContext } from './panel-context.ts';

/**
 * Renders the whole panel, and passes each view its values.
 *
 * @param pages how many pages of messages to render, counted from the end
 */
export function panelView(panel: PanelContext, locale: Locale, pages: number): TemplateResult {
  const { actions, addOns, modules, options, logController, markdown } = panel;
  const { element } = panel.host;
  const { draft, snapshot } = panel.conversation;
  const { messages, status, problem } = snapshot;
  const { texts } = locale;
  const heading = headingOf(options, locale);
  const messaging = modules.get('messaging');
  const last = messages.at(-1);
  const values: LogValues = { locale, heading, last, now: Date.now(), markdown, modules, addOns, actions };
  const isReplying = status === 'replying';
  const current = messages.findLast((message) => message.status !== 'queued');
  return html`${header({
      heading,
      subheading: element.subheading,
      texts,
      actions,
      canClose: !options.isInline,
      inTitles: addOns.content('inTitles'),
      buttons: addOns.content('inHeader'),
    })}
    <slot name="notice"></slot>
    ${panel.isGateClosed ? gate(panel, locale) : nothing}
    ${messageLog({
      texts,
      pages: messagePages(messages, pages, logController, values),
      greeting: status === 'ready' && !last ? (element.greeting ?? texts.empty) : undefined,
      isOpening: status === 'opening',
      // The calls of tools come before the text.
      isTyping: isReplying && !(current?.status === 'streaming' && current.text.trim()),
      problem: problem && notice(problem, messages.some(isUnsent), values),
      onApproach: () => void modules.load('messaging'),
    })}
    ${logController?.latest(locale)} ${addOns.content('aboveComposer')}
    ${messaging?.aboveComposer(panel, texts)}
    ${composer({
      draft,
      locale,
      actions,
      placeholder: element.placeholder ?? texts.placeholder,
      canStop: isReplying && draft === '',
      inComposer: addOns.content('inComposer'),
    })}
    <slot name="footer"></slot>`;
}

/** Renders the gate. If it cannot be loaded, it stays closed: nothing may happen without consent. */
function gate({ gate, modules }: PanelContext, { texts }: Locale): unknown {
  if (gate) return gate.view(texts);
  return modules.isMissing('gate') ? html`<p class="state" role="alert">${texts.network}</p>` : nothing;
}
