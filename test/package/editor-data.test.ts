import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { observedAttributes, objects } from '../../src/widget/element/attributes.ts';
import { describeElement } from '../../src/package/describe-element.ts';
import { customElementsManifest, htmlCustomData, webTypes } from '../../src/package/editor-data.ts';
import { frameworkTypes } from '../../src/package/framework-types.ts';
import { packageJson } from '../docs/package-json.ts';
import { repository } from '../support/repository.ts';

const inDist = (file: string) => join(repository, 'dist', file);
const readJson = (file: string): unknown => JSON.parse(readFileSync(inDist(file), 'utf8'));
const element = describeElement(inDist('npm/element.d.ts'));
const source = (path: string) => readFileSync(join(repository, 'src/widget', path), 'utf8');
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort();

describe('the description of the element', () => {
  it('lists every attribute and every property without an attribute', () => {
    const attributes = observedAttributes.filter((name) => name !== 'lang' && name !== 'dir');
    assert.deepEqual(names(element.attributes), [...attributes].sort());
    assert.deepEqual(names(element.properties), [...objects].sort());
  });

  it('lists every event', () => {
    const declared = Array.from(
      source('events.ts').matchAll(/^ {2}'(chat-\w+)':/gm),
      ([, name = '']) => name,
    );
    assert.notEqual(declared.length, 0);
    assert.deepEqual(names(element.events), declared.sort());
  });

  it('lists every method', () => {
    assert.deepEqual(names(element.methods), ['forget', 'hide', 'restart', 'send', 'show', 'toggle']);
  });

  it('lists every slot, part and custom property of the doc comment', () => {
    const tagged = (tag: string) => source('voice-assistant-chat.ts').split(` * @${tag} `).length - 1;
    assert.deepEqual(
      [element.slots, element.parts, element.customProperties].map(({ length }) => length),
      [tagged('slot'), tagged('csspart'), tagged('cssproperty')],
    );
  });

  it('describes everything', () => {
    const { attributes, properties, methods, events, slots, parts, customProperties } = element;
    const all = [attributes, properties, methods, events, slots, parts, customProperties].flat();
    assert.deepEqual(
      all.filter(({ description }) => description.length < 10),
      [],
    );
  });

  it('knows the values of enumerations', () => {
    const values = (name: string) => element.attributes.find((attribute) => attribute.name === name)?.values;
    assert.deepEqual(values('type'), ['widget', 'test']);
    assert.deepEqual(values('theme'), ['light', 'dark', 'auto', 'system']);
    assert.ok(values('position')?.includes('left-bottom'));
    assert.deepEqual(values('heading'), []);
  });
});

describe('npm run build', () => {
  const { name, version } = packageJson;
  it('writes a current custom elements manifest, VS Code data and web types', () => {
    assert.deepEqual(readJson('custom-elements.json'), customElementsManifest(element));
    assert.deepEqual(readJson('vscode.html-custom-data.json'), htmlCustomData(element));
    assert.deepEqual(readJson('web-types.json'), webTypes(element, name, version));
  });

  it('writes current types for frameworks', () => {
    assert.equal(readFileSync(inDist('npm/frameworks.d.ts'), 'utf8'), frameworkTypes(element));
  });
});
