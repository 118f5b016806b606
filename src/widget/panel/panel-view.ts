import { html, nothing, type TemplateResult } from 'lit/html.js';
import { composer } from './composer.ts';
import { header } from './header.ts';
import { messageLog } from './message-log.ts';
import type { PanelModel } from './panel-model.ts';

/** The whole panel. */
export function panelView(model: PanelModel): TemplateResult {
  const { options, isInspecting, late } = model;
  const inspector =
    options.type === 'test' && isInspecting ? late.get('inspector')?.inspector(model) : undefined;
  return html`${header(model)}
    <slot name="notice"></slot>
    ${messageLog(model)} ${model.reading?.latest(model)} ${inspector ?? nothing}
    ${late.get('aboveComposer')?.aboveComposer(model)} ${composer(model)}
    <slot name="footer"></slot>`;
}
