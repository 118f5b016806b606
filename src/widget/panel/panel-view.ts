import { html, nothing, type TemplateResult } from 'lit/html.js';
import { composer } from './composer.ts';
import { header } from './header.ts';
import { messageLog } from './message-log.ts';
import type { PanelModel } from './panel-model.ts';

/** The whole panel. */
export function panelView(model: PanelModel): TemplateResult {
  const { modules, locale, panel } = model;
  // If the gate cannot be loaded, it stays closed: nothing may happen without consent.
  const gate = panel.isClosed
    ? (panel.gate?.view(model) ??
      (modules.isMissing('gate') ? html`<p class="state" role="alert">${locale.texts.network}</p>` : nothing))
    : nothing;
  return html`${header(model)}
    <slot name="notice"></slot>
    ${gate} ${messageLog(model)} ${model.reading?.latest(model)} ${modules.get('builder')?.inspector(model)}
    ${modules.get('talk')?.aboveComposer(model)} ${composer(model)}
    <slot name="footer"></slot>`;
}
