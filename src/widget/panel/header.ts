import { html, nothing, type TemplateResult } from 'lit/html.js';
import { closeIcon, moreIcon, restartIcon } from './icons.ts';
import { headingOf, type PanelModel } from './panel-model.ts';

/** The name of the assistant, and the buttons of the panel. */
export function header(model: PanelModel): TemplateResult {
  const { options, locale, actions, modules } = model;
  const { texts } = locale;
  const heading = headingOf(model);
  const preview = modules.get('builder');
  return html`<header part="header">
    <span class="avatar" aria-hidden="true">${Array.from(heading.trim())[0]?.toUpperCase()}</span>
    <div class="titles">
      <h2 id="heading" dir="auto" title=${heading}>${heading}</h2>
      ${options.subheading ? html`<p dir="auto">${options.subheading}</p>` : nothing}
      ${preview?.testMark(model)}
    </div>
    <slot name="header"></slot>
    ${preview?.inspectButton(model)} ${button('restart', texts.newConversation, restartIcon, actions.restart)}
    ${button('menu', texts.more, moreIcon, actions.menu, undefined, actions.menu)}
    ${options.isInline ? nothing : button('close', texts.close, closeIcon, actions.close)}
  </header>`;
}

/** @param onApproach called when the pointer or the focus reaches the button, to load what it needs */
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
    aria-label=${label}
    title=${label}
    aria-pressed=${isPressed ?? nothing}
    @click=${onClick}
    @pointerenter=${onApproach}
    @focus=${onApproach}
  >
    ${icon}
  </button>`;
}
