import type { MarkdownRenderer } from 'vitepress';
import {
  attributesTable,
  customPropertiesTable,
  eventsTable,
  languagesList,
  methodsTable,
  partsTable,
  propertiesTable,
  slotsTable,
} from './element.ts';
import { accessibilityCriteria } from './accessibility-criteria.ts';
import { commandsTable } from './commands.ts';
import { endReasonsTable } from './end-reasons.ts';
import { errorCodesTable } from './error-codes.ts';
import { limitsTable } from './limits.ts';
import { metricsTable } from './metrics.ts';
import { operationsList } from './operations.ts';
import { refusalsTable } from './refusals.ts';
import { replyErrorsTable } from './reply-errors.ts';
import { settingsTable } from './settings.ts';
import { sizeBudgetsTable } from './size-budgets.ts';
import { startErrorsTable } from './start-errors.ts';
import { textsTable } from './texts.ts';

/** The sections that a page includes by a line such as `<!-- generated: settings -->`, with a note below it. */
export const sections: Readonly<Record<string, () => string>> = {
  'accessibility-criteria': accessibilityCriteria,
  attributes: attributesTable,
  commands: commandsTable,
  'custom-properties': customPropertiesTable,
  'end-reasons': endReasonsTable,
  'error-codes': errorCodesTable,
  events: eventsTable,
  languages: languagesList,
  limits: limitsTable,
  methods: methodsTable,
  metrics: metricsTable,
  operations: operationsList,
  parts: partsTable,
  properties: propertiesTable,
  refusals: refusalsTable,
  'reply-errors': replyErrorsTable,
  settings: settingsTable,
  'size-budgets': sizeBudgetsTable,
  slots: slotsTable,
  'start-errors': startErrorsTable,
  texts: textsTable,
};

/** Replaces the lines that name a generated section, and the notes below them for readers of the files. */
export function expandSections(source: string): string {
  return source.replace(/^<!-- generated: (\S+) -->\n\n> .*$/gm, (_, name: string) => {
    const generate = sections[name];
    if (generate === undefined)
      throw new Error(
        `There is no generated section "${name}". There are ${Object.keys(sections).join(', ')}.`,
      );
    return generate();
  });
}

/** Lets Markdown files include generated sections, in pages and in the search index. */
export function generateSections(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'generated-sections', (state) => {
    state.src = expandSections(state.src);
  });
}

/** Keeps Vue from evaluating the braces of inline code such as `{{first_name}}`. */
export function keepInlineCode(md: MarkdownRenderer): void {
  md.renderer.rules.code_inline = (tokens, index, _options, _env, self) => {
    const token = tokens[index];
    if (token === undefined) return '';
    return `<code v-pre${self.renderAttrs(token)}>${md.utils.escapeHtml(token.content)}</code>`;
  };
}
