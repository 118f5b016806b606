import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchConversation } from '../../src/contract/conversation-events.ts';
import { operations } from '../../src/contract/operations.ts';
import { errorTexts } from '../../src/contract/error-body.ts';
import { limits, toolLimits } from '../../src/contract/limits.ts';
import { codeIn, Document } from './document.ts';
import { settingsInSources } from './sources.ts';

const readme = new Document('README.md');

describe("the README's account of the service", () => {
  const settings = settingsInSources();
  const documented = new Map(readme.rows('Settings').map((row) => [codeIn(row[0])[0] ?? '', row]));

  it('names every environment variable, and no other', () => {
    assert.deepEqual([...documented.keys()].sort(), [...settings.keys()].sort());
  });

  for (const [variable, { fallback, bounds }] of settings) {
    it(`gives the default and the bounds of ${variable}`, () => {
      const [, byDefault = '', meaning = ''] = documented.get(variable) ?? [];
      assert.equal(codeIn(byDefault)[0], fallback);
      const words: string[] = meaning.replace(/(?<=\d),(?=\d)/g, '').match(/[\w.]*\w/g) ?? [];
      assert.deepEqual(
        bounds.filter((bound) => !words.includes(bound)),
        [],
      );
    });
  }

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

  it('quotes every error text that the interface fixes', () => {
    const section = readme.section('The HTTP interface');
    const missing = Object.values(errorTexts).filter((text) => !section.includes(text));
    assert.deepEqual(missing, []);
  });

  it('states every limit of the wire', () => {
    const section = readme.section('Limits');
    const numbers = Object.values({ ...limits, ...toolLimits }).flatMap((limit) =>
      typeof limit === 'number' ? [limit] : Object.values(limit),
    );
    const missing = numbers.filter((number) => !section.includes(number.toLocaleString('en')));
    assert.deepEqual(missing, []);
  });
});
