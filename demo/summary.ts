import type { DemoAssistant } from '../src/service/seed/demo-assistants.ts';

/** The demo's address, API key and assistants. */
export interface Summary {
  url: string;
  apiKey: string;
  assistants: Pick<DemoAssistant, 'uuid' | 'name' | 'shows'>[];
}

const meanings: Record<DemoAssistant['shows'], string> = {
  greeting: 'greets, and knows the shop',
  'no-greeting': 'waits for the first word',
  settings: 'dark, top left, a pale color',
  german: 'speaks German',
  arabic: 'speaks Arabic, right to left',
  'no-balance': 'its owner has no balance',
};

/** The summary for a terminal. */
export function summaryText({ url, apiKey, assistants }: Summary): string {
  const rows = [
    ['Assistant', 'UUID', 'Shows'],
    ...assistants.map(({ name, uuid, shows }) => [name, uuid, `${shows} (${meanings[shows]})`]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [
    '',
    `  Shop      ${url}/`,
    `  Gallery   ${url}/gallery.html`,
    `  Preview   ${url}/preview.html`,
    `  Docs      ${url}/docs/`,
    `  API key   ${apiKey}`,
    '',
    ...table.map((line) => `  ${line.trimEnd()}`),
    '',
    '  Ctrl+C stops it.',
    '',
  ].join('\n');
}

/** The summary for a script: one line of JSON. */
export function summaryJson({ url, apiKey, assistants }: Summary): string {
  return JSON.stringify({
    url,
    apiKey,
    assistants: assistants.map(({ uuid, name, shows }) => ({ uuid, name, shows })),
  });
}
