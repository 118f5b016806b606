import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PageTool } from '../../page-tool.ts';
import type { Message } from '../../conversation/snapshot.ts';
import { fill, type Locale } from '../../texts/texts.ts';
import { toolTitle } from '../page-tools/tool-title.ts';

/** Names the tools that the assistant used for an answer. */
export function usedTools(
  { functionCalls }: Message,
  locale: Locale,
  tools: readonly PageTool[] | undefined,
): TemplateResult | typeof nothing {
  const titles = new Set(functionCalls.map(({ name }) => toolTitle(name, tools)));
  if (titles.size === 0) return nothing;
  const name = new Intl.ListFormat(locale.language).format(titles);
  return html`<small class="used state text">${fill(locale.texts.used, { name })}</small>`;
}
