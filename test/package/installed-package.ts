import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from '../support/repository.ts';

/** A site in a temporary folder that has installed the built package. */
export interface Site {
  folder: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/**
 * Copies the package to a new site, with links to other packages of this repository.
 *
 * @param packages names of the packages that the site has installed besides, as in `react` and `@types/react`
 */
export function siteWithPackage(packages: readonly string[] = []): Site {
  // The real path, since bundlers resolve links.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'site-')));
  const installed = join(folder, 'node_modules/voice-assistant-chat');
  for (const path of ['package.json', 'dist/npm', 'dist/custom-elements.json']) {
    mkdirSync(dirname(join(installed, path)), { recursive: true });
    cpSync(join(repository, path), join(installed, path), { recursive: true });
  }
  for (const name of ['lit', 'lit-html', 'lit-element', '@lit', ...packages]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(repository, 'node_modules', name), link, 'dir');
  }
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  write('package.json', JSON.stringify({ type: 'module', private: true }));
  return {
    folder,
    write,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
