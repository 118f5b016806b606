import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { repository } from '../support/repository.ts';

const service = join(repository, 'src/service');

/** The service's folders and files as listed in CONTRIBUTING.md, from the lowest layer to the highest. */
const layers = (
  /### Layers of the service\n.*?```\n(.*?)```/s.exec(
    readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8'),
  )?.[1] ?? ''
)
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

const layerOf = (name: string) => layers.findIndex((names) => names.includes(name));

/** The folder or file directly below src/service that a path belongs to. */
const topOf = (path: string) => relative(service, path).split('/')[0] ?? '';

const files = globSync('**/*.ts', { cwd: service, exclude: ['node_modules/**'] }).map((file) =>
  join(service, file),
);

const imports = files.flatMap((file) =>
  ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ({ from: file, to: join(dirname(file), fileName) }))
    .filter(({ to }) => to.startsWith(`${service}/`)),
);

test('CONTRIBUTING.md lists every folder and file of the service in one layer', () => {
  const listed = layers.flat();
  assert.deepEqual(listed.toSorted(), [...new Set(files.map(topOf))].sort());
});

test('no folder of the service imports from its own layer or a higher one', () => {
  assert.ok(imports.length > 500, `only ${imports.length} imports were found`);
  const upward = imports
    .filter(({ from, to }) => topOf(from) !== topOf(to) && layerOf(topOf(from)) <= layerOf(topOf(to)))
    .map(({ from, to }) => `${relative(service, from)} -> ${relative(service, to)}`);
  assert.deepEqual(upward, []);
});
