import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { sections } from '../../docs/.vitepress/generate/sections.ts';
import { budgets } from '../../src/package/budgets.ts';
import { repository } from '../support/repository.ts';
import { codeIn, Document, documents } from './document.ts';
import { eventsInSources, partsInSources, slotsInSources, tokensInSources } from './sources.ts';

/** The built class. Outside a browser it can only be imported. */
const { VoiceAssistantChat } = (await import(
  pathToFileURL(join(repository, 'dist/npm/element.js')).href
)) as { VoiceAssistantChat: { prototype: object; observedAttributes: readonly string[] } };

const members = Object.entries(Object.getOwnPropertyDescriptors(VoiceAssistantChat.prototype)).filter(
  ([name]) => name !== 'constructor' && !name.endsWith('Callback'),
);

/** The rows of a generated table as cells, without the header. */
function rows(section: string): string[][] {
  const lines = sections[section]?.().split('\n').slice(2) ?? [];
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
const names = (section: string, cell = 0) => rows(section).flatMap((row) => codeIn(row[cell]));
const sameNames = (documented: Iterable<string>, actual: Iterable<string>) => {
  assert.deepEqual([...documented].sort(), [...actual].sort());
};

describe('the generated tables of the element', () => {
  it('have a text in every row', () => {
    const tables = Object.keys(sections).filter(
      (name) => !['accessibility-criteria', 'languages', 'operations'].includes(name),
    );
    const empty = tables.flatMap((table) => rows(table).filter((row) => row.at(-1) === ''));
    assert.deepEqual(empty, []);
  });

  it('name every attribute of the built class, and no other', () => {
    sameNames(names('attributes'), VoiceAssistantChat.observedAttributes);
  });

  it('name every property of the built class, and no other', () => {
    const accessors = members.filter(([, descriptor]) => 'get' in descriptor).map(([name]) => name);
    // Every element has `lang` and `dir`.
    sameNames([...names('attributes', 1), ...names('properties')], [...accessors, 'lang', 'dir']);
  });

  it('name every method of the built class, and no other', () => {
    const methods = members
      .filter(([, descriptor]) => typeof descriptor.value === 'function')
      .map(([name]) => name);
    sameNames(
      names('methods').map((signature) => signature.replace(/\(.*/, '')),
      methods,
    );
  });

  it('name every event with the fields of its detail, and no other', () => {
    const documented = rows('events').map(([event, detail]) => {
      const fields =
        codeIn(detail)
          .join()
          .match(/\w+(?=: )/g) ?? [];
      return [codeIn(event)[0] ?? '', [...fields]] as const;
    });
    assert.deepEqual(new Map(documented), eventsInSources());
  });

  it('name every slot, and no other', () => {
    sameNames(names('slots'), slotsInSources());
  });

  it('name every part, and no other', () => {
    sameNames(names('parts'), partsInSources());
  });

  it('name every custom property, and no other', () => {
    sameNames(names('custom-properties'), tokensInSources());
  });
});

describe('the pages', () => {
  it('include every generated section', () => {
    const texts = documents.map((path) => new Document(path).source).join('\n');
    const unused = Object.keys(sections).filter((name) => !texts.includes(`<!-- generated: ${name} -->`));
    assert.deepEqual(unused, []);
  });

  it('say at each generated section where readers of the file find it', () => {
    const missing = documents.flatMap((path) => {
      const address = `/${path.replace(/\.md$/, '')}`;
      const lines = new Document(path).source.split('\n');
      return lines.flatMap((line, index) => {
        if (!line.startsWith('<!-- generated: ')) return [];
        const note = lines[index + 2] ?? '';
        return note.startsWith(`> This part is in the built documentation, at \`${address}\` of `)
          ? []
          : [`${path}:${index + 1}`];
      });
    });
    assert.deepEqual(missing, []);
  });

  it('state the size budgets in the README', () => {
    const { shell, typing } = budgets;
    const figures = new Document('README.md')
      .rows('How it compares')
      .filter(([claim]) => claim?.includes('download'))
      .map(([, here]) => here?.trim());
    assert.deepEqual(figures, [kilobytes(shell.bytes, 1), kilobytes(typing.bytes, 0)]);
    const [, cached] = /(\S+ kB) in\s+all/.exec(new Document('README.md').text) ?? [];
    assert.equal(cached, kilobytes(typing.bytes, 0));
  });
});

const kilobytes = (bytes: number, digits: number) => `${(bytes / 1000).toFixed(digits)} kB`;
