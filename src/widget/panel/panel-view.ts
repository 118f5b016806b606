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
  const { actions, addOns, modules, options, reading, markdown } = panel;
  const { draft, snapshot } = panel.conversation;
  const { messages, status, problem } = snapshot;
  const { texts } = locale;
  const heading = headingOf(options, locale);
  const talk = modules.get('talk');
  const inspector = options.type === 'test' ? panel.inspector : undefined;
  const last = messages.at(-1);
  const values: LogValues = { locale, heading, last, now: Date.now(), markdown, modules, addOns, actions };
  const isReplying = status === 'replying';
  const current = messages.findLast((message) => message.status !== 'queued');
  return html`${header({
      heading,
      subheading: options.subheading,
      texts,
      actions,
      canClose: !options.isInline,
      mark: inspector?.mark(texts),
      buttons: [addOns.content('inHeader'), inspector?.button(texts)],
    })}
    <slot name="notice"></slot>
    ${panel.isGateClosed ? gate(panel, locale) : nothing}
    ${messageLog({
      texts,
      pages: messagePages(messages, pages, reading, values),
      greeting: status === 'ready' && !last ? (options.greeting ?? texts.empty) : undefined,
      isOpening: status === 'opening',
      // The calls of tools come before the text.
      isTyping: isReplying && !(current?.status === 'streaming' && current.text.trim()),
      problem: problem && notice(problem, messages.some(isUnsent), values),
      onApproach: () => void modules.load('talk'),
    })}
    ${reading?.latest(locale)} ${inspector?.drawer(locale)} ${talk?.aboveComposer(panel, texts)}
    ${composer({
      draft,
      locale,
      actions,
      placeholder: options.placeholder ?? texts.placeholder,
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
