import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as endingEndpoints from '../../src/contract/ending-endpoints.ts';
import * as visitorEndpoints from '../../src/contract/endpoints.ts';
import * as ownerEndpoints from '../../src/contract/owner-endpoints.ts';
import { errorTexts } from '../../src/contract/error-body.ts';
import { limits } from '../../src/contract/limits.ts';
import { toolLimits } from '../../src/contract/tool-limits.ts';
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
    const endpoints = { ...visitorEndpoints, ...endingEndpoints, ...ownerEndpoints };
    const operations = [...readme.rows('The HTTP interface'), ...readme.rows("The owner's records")]
      .filter(([operation = '']) => operation.includes('/api/'))
      .map(([operation, , statuses = '']) => [codeIn(operation)[0], statuses.trim()]);
    const actual = Object.values(endpoints).map(({ method, path, statuses }) => [
      `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
      statuses.join(', '),
    ]);
    assert.deepEqual(operations.sort(), actual.sort());
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
