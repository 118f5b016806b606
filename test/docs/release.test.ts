import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { repository } from '../support/repository.ts';
import { packageJson } from './package-json.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

interface ExtraFile {
  type: 'json' | 'generic';
  path: string;
  jsonpath?: string;
}

const config = JSON.parse(read('.github/release-please-config.json')) as {
  'initial-version': string;
  packages: Record<string, { 'package-name': string; 'extra-files': ExtraFile[] }>;
};
const extraFiles = config.packages['.']?.['extra-files'] ?? [];

/** Every version in a text, and only the marked ones, as release-please replaces them. */
const versionsIn = (text: string) => Array.from(text.matchAll(/(?<![\d.])\d+\.\d+\.\d+(?![\d.])/g), String);
const markedIn = (text: string) =>
  /x-release-please-start-version([^]*?)x-release-please-end/.exec(text)?.[1] ?? '';

/** The values of a path such as `$.dependencies['name']`. */
function valueAt(path: string, jsonpath: string): unknown {
  let value: unknown = JSON.parse(read(path));
  for (const [, name = '', quoted] of jsonpath.matchAll(/\.(\w+)|\['([^']+)'\]/g))
    value = (value as Record<string, unknown>)[quoted ?? name];
  return value;
}

describe('the release configuration', () => {
  it('starts from the version of the package, or makes it the first release', () => {
    const { '.': released } = JSON.parse(read('.github/release-please-manifest.json')) as Record<
      string,
      string
    >;
    assert.equal(released ?? config['initial-version'], packageJson.version);
    assert.equal(config.packages['.']?.['package-name'], packageJson.name);
  });

  it('names files and fields with the version of the package', () => {
    for (const { type, path, jsonpath = '' } of extraFiles) {
      const found = type === 'json' ? [valueAt(path, jsonpath)] : versionsIn(markedIn(read(path)));
      assert.deepEqual([...new Set(found)], [packageJson.version], path);
    }
  });

  it('covers every file that names the version', () => {
    const covered = extraFiles.map(({ path }) => path);
    const examples = globSync('{demo,test}/examples/*/package.json', { cwd: repository });
    assert.ok(examples.length > 5);
    assert.deepEqual(
      examples.filter((path) => !covered.includes(path)),
      [],
    );
    const pages = globSync('docs/**/*.md', { cwd: repository }).flatMap((path) => {
      const text = read(path);
      const unmarked = covered.includes(path) ? text.replace(markedIn(text), '') : text;
      return unmarked.includes(packageJson.version) ? [path] : [];
    });
    assert.deepEqual(pages, []);
  });
});

describe('the hosted jobs', () => {
  for (const path of globSync('.github/workflows/*.yml', { cwd: repository })) {
    it(`in ${path} may mount folders and start Firefox as root`, () => {
      const { jobs } = parse(read(path)) as {
        jobs: Record<
          string,
          { container?: { options?: string }; env?: { HOME?: string }; steps: { run?: string }[] }
        >;
      };
      const checking = Object.values(jobs).filter(({ steps }) =>
        steps.some(({ run }) => run?.startsWith('.ci/run ')),
      );
      assert.equal(checking.length, 1);
      assert.match(checking[0]?.container?.options ?? '', /--privileged/);
      assert.equal(checking[0]?.env?.HOME, '/root');
    });
  }
});

/** Whether npm accepts the package in a folder of the repository. Built folders have no private packages. */
const isPrivate = (folder: string) =>
  folder !== 'src/voice/dist' && 'private' in (JSON.parse(read(join(folder, 'package.json'))) as object);

describe('the release workflow', () => {
  const commands = read('.github/workflows/release.yml');

  it('packs and publishes every package that the documents tell readers to install', () => {
    const [, packed = ''] = /npm pack --pack-destination packages (.+)$/m.exec(commands) ?? [];
    const folders = packed.split(' ');
    assert.deepEqual(folders, ['.', './src/service', './src/voice/dist']);
    assert.deepEqual(
      folders.filter((folder) => isPrivate(join(folder))),
      [],
    );
  });

  it('publishes the packages that an earlier, interrupted run has not published', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    t.after(() => {
      rmSync(folder, { recursive: true });
    });
    mkdirSync(join(folder, 'packages'));
    mkdirSync(join(folder, 'package'));
    for (const name of ['first', 'second', 'third']) {
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '1.2.3' }));
      execFileSync('tar', ['-czf', `packages/${name}-1.2.3.tgz`, 'package'], { cwd: folder });
    }
    // Like npm, it prints nothing, and succeeds, for an unknown version of a known package.
    const npm = `#!/bin/sh
case "$*" in
  "view first@1.2.3 version") echo 1.2.3 ;;
  "view third@1.2.3 version") echo E404 >&2; exit 1 ;;
  publish*) echo "$2" >> published ;;
esac`;
    writeFileSync(join(folder, 'npm'), npm);
    chmodSync(join(folder, 'npm'), 0o755);
    const { jobs } = parse(commands) as { jobs: { publish: { steps: { run?: string }[] } } };
    const run = jobs.publish.steps.map(({ run = '' }) => run).join('\n');
    const env = { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) };
    execFileSync('sh', ['-e', '-c', run], { cwd: folder, env });
    assert.equal(
      readFileSync(join(folder, 'published'), 'utf8'),
      './packages/second-1.2.3.tgz\n./packages/third-1.2.3.tgz\n',
    );
  });

  it('builds the folder of the voice package before it packs it', () => {
    assert.match(commands, /npm run build -w src\/voice\n.*npm pack /);
  });

  it('installs nothing where it may publish', () => {
    const { jobs } = parse(commands) as {
      jobs: Record<string, { permissions?: Record<string, string>; steps: { run?: string }[] }>;
    };
    const publishing = Object.values(jobs).filter(({ permissions }) => permissions?.['id-token'] === 'write');
    assert.equal(publishing.length, 1);
    for (const { run = '' } of publishing[0]?.steps ?? [])
      assert.doesNotMatch(run, /npm (?:ci|i|install|run)\b/);
  });
});

describe('the hosted workflows', () => {
  it('run the same checks as `.ci/run`', () => {
    const workflows = globSync('.github/workflows/*.yml', { cwd: repository });
    assert.equal(workflows.length, 2);
    for (const workflow of workflows) assert.match(read(workflow), /^ +- run: \.ci\/run /m);
  });
});
