import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { repository } from '../support/repository.ts';
import { Document, documents } from './document.ts';
import { packageJson } from './package-json.ts';

const { name, version, exports, sideEffects } = packageJson;

describe('the published package', () => {
  it('exports files that were built', () => {
    const files = [
      ...Object.values(exports).flatMap((target) =>
        typeof target === 'string' ? target : Object.values(target),
      ),
      ...sideEffects,
    ];
    assert.notEqual(files.length, 0);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(repository, file))),
      [],
    );
  });

  it('exports every path that the documents import', () => {
    const imports = documents.flatMap((path) =>
      Array.from(
        new Document(path).text.matchAll(/^import .*'([^'.]+)';$/gm),
        ([, specifier = '']) => specifier,
      ),
    );
    const own = imports.filter((specifier) => specifier.split('/')[0] === name);
    assert.notEqual(own.length, 0);
    assert.deepEqual(
      own.filter((specifier) => !(specifier.replace(name, '.') in exports)),
      [],
    );
  });

  it('can be imported on a server, without registering an element', async () => {
    const element = await importPublished(name);
    const classAlone = await importPublished(`${name}/element`);
    const client = await importPublished(`${name}/client`);
    assert.deepEqual(Object.keys(element), ['VoiceAssistantChat']);
    assert.deepEqual(Object.keys(classAlone), ['VoiceAssistantChat']);
    assert.deepEqual(Object.keys(client).sort(), ['ChatClient', 'ChatError']);
  });

  it('passes publint for every kind of importer', async () => {
    const { messages, pkg } = await publint({ pkgDir: repository, strict: true, pack: false });
    // The folders that the workspaces are built to are packages of their own.
    const ofThisPackage = messages
      .map((message) => formatMessage(message, pkg) ?? '')
      .filter((text) => !text.startsWith('./src/'));
    assert.deepEqual(ofThisPackage, []);
  });

  for (const workspace of ['service', 'voice']) {
    it(`has the same version as src/${workspace}`, () => {
      const manifest = readFileSync(join(repository, 'src', workspace, 'package.json'), 'utf8');
      assert.equal((JSON.parse(manifest) as { version: string }).version, version);
    });
  }
});

/** Imports as a site does, by the package's name (self-referencing). */
function importPublished(specifier: string): Promise<object> {
  return import(import.meta.resolve(specifier)) as Promise<object>;
}
