import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sections } from '../../docs/.vitepress/generate/sections.ts';
import { watchConversation } from '../../src/contract/conversation-events.ts';
import { errorTexts } from '../../src/contract/error-body.ts';
import { limits, toolLimits } from '../../src/contract/limits.ts';
import { operations } from '../../src/contract/operations.ts';
import { Document, states } from './document.ts';

const page = new Document('docs/http.md');

describe('the pages about the HTTP interface', () => {
  it('list every operation with its statuses', () => {
    const list = sections['operations']?.() ?? '';
    const missing = [...Object.values(operations), watchConversation]
      .map(({ method, path, statuses }) => [
        `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
        statuses.join(', '),
      ])
      .filter(([name = '', statuses = '']) => {
        const line = list.split('\n').find((line) => line.startsWith(`- ${name}:`));
        return line?.endsWith(`(${statuses})`) !== true;
      });
    assert.deepEqual(missing, []);
  });

  it('name the scope that a key needs', () => {
    const list = sections['operations']?.() ?? '';
    const missing = Object.values(operations)
      .flatMap((each) => ('scope' in each ? [each] : []))
      .filter(({ method, path, scope }) => {
        const name = `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``;
        const line = list.split('\n').find((each) => each.startsWith(`- ${name}:`));
        return line?.includes(`Scope \`${scope}\`.`) !== true;
      });
    assert.deepEqual(missing, []);
  });

  it('quote every error text that the API specifies', () => {
    const missing = Object.values(errorTexts).filter((text) => !page.text.includes(text));
    assert.deepEqual(missing, []);
  });

  it('state every limit of the API', () => {
    const section = page.section('Limits');
    const numbers = Object.values({ ...limits, ...toolLimits }).flatMap((limit) =>
      typeof limit === 'number' ? [limit] : Object.values(limit),
    );
    const missing = numbers.filter((number) => !states(section, number));
    assert.deepEqual(missing, []);
  });
});
