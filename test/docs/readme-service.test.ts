import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchConversation } from '../../src/contract/conversation-events.ts';
import { operations } from '../../src/contract/operations.ts';
import { errorTexts } from '../../src/contract/error-body.ts';
import { limits, toolLimits } from '../../src/contract/limits.ts';
import { codeIn, Document, states } from './document.ts';
import { settingsRows } from '../../src/service/settings.ts';

const readme = new Document('README.md');

describe("the README's description of the service", () => {
  it('lists the settings as the service describes them', () => {
    const rows = readme.rows('Settings').map((cells) => `|${cells.join('|')}|`);
    assert.deepEqual(rows, settingsRows());
  });

  it('names every operation with its statuses, and no other', () => {
    const documented = [...readme.rows('The HTTP interface'), ...readme.rows("The owner's records")]
      .filter(([operation = '']) => operation.includes('/api/'))
      .map(([operation, , statuses = '']) => [codeIn(operation)[0], statuses.trim()]);
    const actual = [...Object.values(operations), watchConversation].map(({ method, path, statuses }) => [
      `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
      statuses.join(', '),
    ]);
    assert.deepEqual(documented.sort(), actual.sort());
  });

  it('quotes every error text that the API specifies', () => {
    const section = readme.section('The HTTP interface');
    const missing = Object.values(errorTexts).filter((text) => !section.includes(text));
    assert.deepEqual(missing, []);
  });

  it('states every limit of the API', () => {
    const section = readme.section('Limits');
    const numbers = Object.values({ ...limits, ...toolLimits }).flatMap((limit) =>
      typeof limit === 'number' ? [limit] : Object.values(limit),
    );
    const missing = numbers.filter((number) => !states(section, number));
    assert.deepEqual(missing, []);
  });
});
