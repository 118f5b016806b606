import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sections } from '../../docs/.vitepress/generate/sections.ts';
import { watchConversation } from '../../src/contract/watch-conversation.ts';
import { clientToolLimits } from '../../src/contract/client-tool-limits.ts';
import { errorTexts } from '../../src/contract/error-texts.ts';
import { limits, requestLimits } from '../../src/contract/limits.ts';
import { operations } from '../../src/contract/operations.ts';
import { statuses } from '../../src/service/lib/conversation-error.ts';
import { repository } from '../support/repository.ts';
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
    const numbers = Object.values({ ...limits, ...requestLimits, ...clientToolLimits }).flatMap((limit) =>
      typeof limit === 'number' ? [limit] : Object.values(limit),
    );
    const missing = numbers.filter((number) => !states(section, number));
    assert.deepEqual(missing, []);
  });

  it('list every status of a refused conversation', () => {
    const listed = page.rows('Refusals').map(([, status = '']) => Number(status));
    const missing = Object.entries(statuses).filter(([, status]) => !listed.includes(status));
    assert.deepEqual(missing, []);
  });
});

describe('the list of errors at the start', () => {
  const read = (path: string) => readFileSync(join(repository, path), 'utf8');

  it('has every error that keeps the service from starting', () => {
    const generator = read('docs/.vitepress/generate/start-errors.ts');
    const classes = globSync('src/service/**/*.ts', { cwd: repository, exclude: ['**/node_modules/**'] })
      .flatMap((path) =>
        Array.from(read(path).matchAll(/class (\w+) extends OperatorError/g), ([, name = '']) => name),
      )
      // Settings are examples of their own, and commands do not start the service.
      .filter((name) => !['ConfigError', 'CommandError', 'UsageError'].includes(name));
    assert.ok(classes.length >= 5);
    assert.deepEqual(
      classes.filter((name) => !generator.includes(`new ${name}(`)),
      [],
    );
  });
});
