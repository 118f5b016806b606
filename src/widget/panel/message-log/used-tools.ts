import { html, type TemplateResult } from 'lit/html.js';
import { nameInWords } from '../../../contract/name-in-words.ts';
import type { Message } from '../../conversation/snapshot.ts';
import { fill, type Locale } from '../../texts/texts.ts';

/** Names the tools that the assistant used for an answer. The requests of page tools show their outcomes. */
export function usedTools({ functionCalls }: Message, locale: Locale): TemplateResult | undefined {
  const titles = new Set(functionCalls.flatMap(({ name, client }) => (client ? [] : nameInWords(name))));
  if (titles.size === 0) return undefined;
  const name = new Intl.ListFormat(locale.language).format(titles);
  return html`<small class="used state text">${fill(locale.texts.used, { name })}</small>`;
}
