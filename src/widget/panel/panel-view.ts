import { html, nothing, type TemplateResult } from 'lit/html.js';
import { composer } from './composer.ts';
import { header } from './header.ts';
import { messageLog } from './message-log.ts';
import type { PanelModel } from './panel-model.ts';

/** The whole panel. `inspector` is what a preview shows of the assistant's work, once that is loaded. */
export function panelView(model: PanelModel, inspector: TemplateResult | undefined): TemplateResult {
  return html`${header(model)}
    <slot name="notice"></slot>
    ${messageLog(model)} ${inspector ?? nothing} ${composer(model)}
    <slot name="footer"></slot>`;
}
