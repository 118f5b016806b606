import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/*
 * A part of `npm run build`, and `npm run sbom`: writes the packages that the widget contains and that the service runs
 * on to `dist`, as CycloneDX (`sbom.cdx.json`) and as a table with their licenses (`dependencies.md`).
 */

/** Folders of the workspaces whose dependencies are shipped. */
const workspaces = ['src/service', 'src/voice'];

/** Development dependencies that the build copies into the widget's files, as dist/licenses.md shows. */
export const bundledPackages = ['@noble/hashes', 'eventsource-parser', 'marked', 'zod'];

/** Files of another package that the service contains, with their own license. */
const copied = {
  type: 'data',
  name: 'pdfjs-dist/cmaps',
  version: '6.1.200',
  purl: 'pkg:npm/pdfjs-dist@6.1.200#cmaps',
  licenses: [{ license: { id: 'BSD-3-Clause' } }],
};

interface Package {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, Package>;
}

interface Bom {
  components: { name: string; version: string; purl: string; licenses?: License[] }[];
}
type License = { license: { id?: string; name?: string } } | { expression: string };

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'));
const { packages, ...lock } = read('package-lock.json') as Lock;

/**
 * Runs `npm sbom` on copies of the package files without development dependencies. Its `--omit dev` would also omit
 * packages that a development dependency needs, too, such as lit.
 *
 * @returns undefined if npm does not have the command.
 */
function createBom(): Bom | undefined {
  const temporary = mkdtempSync(join(tmpdir(), 'sbom-'));
  // npm names the project after its folder.
  const folder = join(temporary, 'voice-assistant-chat');
  const write = (file: string, content: object) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify(content));
  };
  const isNeeded = (path: string, { dev }: Package) =>
    dev !== true || bundledPackages.some((name) => path === `node_modules/${name}`);
  const needed = Object.fromEntries(
    Object.entries(packages).flatMap(([path, locked]) =>
      // Without `resolved`, which names no real host.
      isNeeded(path, locked)
        ? [[path, { ...locked, resolved: locked.link ? locked.resolved : undefined }]]
        : [],
    ),
  );
  try {
    write('package.json', withoutDevelopment(read('package.json') as Package));
    for (const workspace of workspaces)
      write(`${workspace}/package.json`, withoutDevelopment(read(`${workspace}/package.json`) as Package));
    write('package-lock.json', {
      ...lock,
      packages: {
        ...needed,
        ...Object.fromEntries(
          ['', ...workspaces].map((path) => [path, withoutDevelopment(packages[path] ?? {})]),
        ),
      },
    });
    const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
    const output = execFileSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 50_000_000,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return JSON.parse(output) as Bom;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    if (/Unknown command/i.test(stderr ?? '')) return undefined;
    throw error;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function withoutDevelopment({ devDependencies = {}, dependencies, ...rest }: Package): Package {
  const shipped = Object.entries(devDependencies).filter(([name]) => bundledPackages.includes(name));
  return { ...rest, dependencies: { ...dependencies, ...Object.fromEntries(shipped) } };
}

/** npm leaves out licenses that are not SPDX identifiers. */
function licensesOf({ name, version, licenses = [] }: Bom['components'][number]): License[] {
  if (licenses.length > 0) return licenses;
  const found = Object.entries(packages).find(
    ([path, locked]) => path.endsWith(`node_modules/${name}`) && locked.version === version,
  );
  return found?.[1].license === undefined ? [] : [{ license: { name: found[1].license } }];
}

/** Whether a component is a workspace of this repository. */
export const isOwn = (purl: string): boolean => /^pkg:npm\/voice-assistant-chat-(service|voice)@/.test(purl);

const textOf = (license: License) =>
  'expression' in license ? license.expression : (license.license.id ?? license.license.name);

function writeLists(): void {
  const bom = createBom();
  if (!bom) {
    process.stderr.write('The dependencies are not listed: it needs npm 9.9 or newer.\n');
    return;
  }
  const components = [
    ...bom.components.map((component) => ({ ...component, licenses: licensesOf(component) })),
    copied,
  ];
  const rows = components
    .filter(({ purl }) => !isOwn(purl))
    .map(({ name, version, licenses }) => `| ${name} | ${version} | ${licenses.map(textOf).join(', ')} |`);
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify({ ...bom, components }, null, 2)}\n`);
  writeFileSync(
    'dist/dependencies.md',
    `| Package | Version | License |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
}

if (import.meta.main) writeLists();
