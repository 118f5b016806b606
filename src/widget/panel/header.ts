import { html, nothing, type TemplateResult } from 'lit/html.js';
import { closeIcon, moreIcon, restartIcon } from './icons.ts';
import type { PanelActions } from './panel-actions.ts';
import type { Texts } from '../texts/texts.ts';

/** The name of the assistant, and the buttons of the panel. */
export function header({
  heading,
  subheading,
  texts,
  actions,
  canClose,
  inTitles,
  buttons,
}: {
  readonly heading: string;
  readonly subheading: string | null;
  readonly texts: Texts;
  readonly actions: Pick<PanelActions, 'restart' | 'menu' | 'close'>;
  readonly canClose: boolean;
  /** Content of add-ons below the name. */
  readonly inTitles: unknown;
  /** Buttons of add-ons. */
  readonly buttons: unknown;
}): TemplateResult {
  return html`<div part="header">
    <span class="avatar" aria-hidden="true">${/\S/u.exec(heading)?.[0].toUpperCase()}</span>
    <div class="titles">
      <h2 id="heading" dir="auto" title=${heading}>${heading}</h2>
      ${subheading && html`<p dir="auto" title=${subheading}>${subheading}</p>`} ${inTitles}
    </div>
    <slot name="header"></slot>
    ${buttons} ${button('restart', texts.newConversation, restartIcon, actions.restart)}
    ${button('menu', texts.more, moreIcon, actions.menu, undefined, actions.menu)}
    ${canClose ? button('close', texts.close, closeIcon, actions.close) : nothing}
  </div>`;
}

/** @param onApproach called when the pointer or the focus reaches the button, to load its module */
export function button(
  name: string,
  label: string,
  icon: TemplateResult,
  onClick: (event: Event) => void,
  isPressed?: boolean,
  onApproach?: (event: Event) => void,
): TemplateResult {
  return html`<button
    class="icon-button"
    part="${name}-button"
    type="button"
    title=${label}
    aria-pressed=${isPressed ?? nothing}
    @click=${onClick}
    @pointerenter=${onApproach}
    @focus=${onApproach}
  >
    ${icon}
  </button>`;
}
