import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copiedModels, copiedName, findModel } from './speech/find-models.ts';

/*
 * Compiles this package and the imported files of the service to `dist`, the package to publish. Its package.json
 * exports the compiled file; the package.json of this folder exports the source.
 */

const voice = import.meta.dirname;
const repository = join(voice, '../..');
const output = join(voice, 'dist');

await rm(output, { recursive: true, force: true });
await promisify(execFile)(process.execPath, [
  join(repository, 'node_modules/typescript/bin/tsc'),
  ...['--project', join(voice, 'tsconfig.package.json')],
]);
await mkdir(join(output, 'models'));
for (const model of copiedModels) {
  const file = findModel(model);
  if (file === undefined) throw new Error(`The file of the model ${model} is missing. Run npm install.`);
  await cp(file, join(output, 'models', copiedName(model)));
}
const manifest = JSON.parse(await readFile(join(voice, 'package.json'), 'utf8')) as Record<string, unknown>;
const forThisRepository = ['private', 'main', 'scripts', 'devDependencies'];
const published = Object.fromEntries(
  Object.entries(manifest).filter(([name]) => !forThisRepository.includes(name)),
);
await writeFile(
  join(output, 'package.json'),
  `${JSON.stringify({ ...published, exports: { '.': './voice/create-voice.js' } }, undefined, 2)}\n`,
);
await cp(join(voice, 'README.md'), join(output, 'README.md'));
await cp(join(repository, 'LICENSE'), join(output, 'LICENSE'));
