import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Message } from '../../conversation/snapshot.ts';
import { fill } from '../../texts/texts.ts';
import { toolTitle } from '../page-tools/tool-title.ts';
import type { PanelModel } from '../panel-model.ts';

/** Names the tools that the assistant used for an answer. */
export function usedTools(
  { locale, panel }: PanelModel,
  { functionCalls }: Message,
): TemplateResult | typeof nothing {
  const { tools } = panel.host.element;
  const titles = new Set(functionCalls.map(({ name }) => toolTitle(name, tools)));
  if (titles.size === 0) return nothing;
  const name = new Intl.ListFormat(locale.language).format(titles);
  return html`<small class="used state text">${fill(locale.texts.used, { name })}</small>`;
}
