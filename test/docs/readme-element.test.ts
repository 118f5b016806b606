import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { languages } from '../../src/widget/texts/locales.ts';
import { budgets } from '../size/budgets.ts';
import { repository } from '../support/repository.ts';
import { codeIn, Document, states } from './document.ts';
import { eventsInSources, literalsOf, partsInSources, slotsInSources, tokensInSources } from './sources.ts';

const readme = new Document('README.md');

/** The built class. Outside a browser it can only be imported. */
const { VoiceAssistantChat } = (await import(
  pathToFileURL(join(repository, 'dist/npm/element.js')).href
)) as { VoiceAssistantChat: { prototype: object; observedAttributes: readonly string[] } };

const members = Object.entries(Object.getOwnPropertyDescriptors(VoiceAssistantChat.prototype)).filter(
  ([name]) => name !== 'constructor' && !name.endsWith('Callback'),
);

const names = (heading: string, cell = 0) => readme.rows(heading).flatMap((row) => codeIn(row[cell]));
const sameNames = (documented: Iterable<string>, actual: Iterable<string>) => {
  assert.deepEqual([...documented].sort(), [...actual].sort());
};

/** The names after a given tag in the class's TSDoc. */
const tagged = (tag: string) =>
  Array.from(
    readFileSync(join(repository, 'src/widget/voice-assistant-chat.ts'), 'utf8').matchAll(
      new RegExp(` \\* @${tag} ([\\w-]+)`, 'g'),
    ),
    ([, name = '']) => name,
  );

describe("the class's TSDoc", () => {
  it('names every custom property, and no other', () => {
    sameNames(tagged('cssproperty'), tokensInSources());
  });

  it('names every slot, and no other', () => {
    sameNames(tagged('slot'), slotsInSources());
  });
});

describe("the README's description of the element", () => {
  it('names every attribute, and no other', () => {
    sameNames(names('Attributes and properties'), VoiceAssistantChat.observedAttributes);
  });

  it('names every property, and no other', () => {
    const accessors = members.filter(([, descriptor]) => 'get' in descriptor).map(([name]) => name);
    // Every element has `lang` and `dir`.
    sameNames([...names('Attributes and properties', 1), ...names('Objects')], [...accessors, 'lang', 'dir']);
  });

  it('names every method, and no other', () => {
    const methods = members
      .filter(([, descriptor]) => typeof descriptor.value === 'function')
      .map(([name]) => name);
    sameNames(
      names('Methods').map((signature) => signature.replace(/\(.*/, '')),
      methods,
    );
  });

  it('names every event with the fields of its detail, and no other', () => {
    const documented = readme
      .rows('Events')
      .map(([event, detail]) => [codeIn(event)[0] ?? '', codeIn(detail)] as const);
    assert.deepEqual(new Map(documented), eventsInSources());
  });

  it('names every slot, and no other', () => {
    sameNames(names('Slots'), slotsInSources());
  });

  it('names every part, and no other', () => {
    sameNames(names('Styling'), partsInSources());
  });

  it('names every custom property, and no other', () => {
    sameNames(names('Tokens'), tokensInSources());
  });

  it('names every error code, and no other', () => {
    sameNames(names('Errors'), [
      ...literalsOf('src/client/errors.ts', 'ChatErrorCode'),
      ...literalsOf('src/widget/conversation/problem.ts', 'ProblemCode'),
    ]);
  });

  it('names every language, and no other', () => {
    const [, list] = readme.section('Languages').split(/^(?=[A-Z].*`af`)/m);
    sameNames(codeIn(list?.split('\n\n')[0]), ['en', ...languages]);
  });

  it('states the size budgets', () => {
    const section = readme.section('Size');
    for (const budget of Object.values(budgets)) {
      const bytes = typeof budget === 'number' ? budget : budget.bytes;
      assert.ok(states(section, bytes), `${String(bytes)} bytes are not mentioned`);
    }
  });
});
