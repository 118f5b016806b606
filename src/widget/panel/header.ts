import { html, nothing, type TemplateResult } from 'lit/html.js';
import { closeIcon, inspectIcon, restartIcon } from './icons.ts';
import { headingOf, type PanelModel } from './panel-model.ts';

/** Who one talks to, and the way out. */
export function header(model: PanelModel): TemplateResult {
  const { options, locale, actions, isInspecting } = model;
  const { texts } = locale;
  const heading = headingOf(model);
  const inspectorButton = html`<button
    class="icon-button"
    type="button"
    aria-pressed=${isInspecting}
    aria-label=${texts.inspect}
    title=${texts.inspect}
    @click=${actions.toggleInspector}
  >
    ${inspectIcon}
  </button>`;
  const closeButton = html`<button
    class="icon-button"
    part="close-button"
    type="button"
    aria-label=${texts.close}
    title=${texts.close}
    @click=${actions.close}
  >
    ${closeIcon}
  </button>`;
  return html`<header part="header">
    <span class="avatar" aria-hidden="true">${Array.from(heading.trim())[0]?.toUpperCase()}</span>
    <div class="titles">
      <h2 id="heading" dir="auto">${heading}</h2>
      ${options.subheading ? html`<p dir="auto">${options.subheading}</p>` : nothing}
    </div>
    ${options.type === 'test' ? html`<span part="test-mark">${texts.test}</span>${inspectorButton}` : nothing}
    <slot name="header"></slot>
    <button
      class="icon-button"
      part="restart-button"
      type="button"
      aria-label=${texts.newConversation}
      title=${texts.newConversation}
      @click=${actions.restart}
    >
      ${restartIcon}
    </button>
    ${options.isInline ? nothing : closeButton}
  </header>`;
}
