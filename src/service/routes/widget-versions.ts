import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, glob, mkdtemp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** The folder with the files of every version of the widget that the service has had. */
export const versionsFolder = (dataDir: string): string => join(dataDir, 'widget');

/** Prefix of the names of folders whose files are still being copied. */
const incompletePrefix = '.new-';

/** The version of the built widget, from the file that the build writes; undefined if it is missing. */
export function builtVersion(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as {
      version: unknown;
    };
    return String(version);
  } catch {
    return undefined;
  }
}

/** Returns the path of a file that any stored version has; undefined if none has it. */
export function findInVersions(dataDir: string, file: string): string | undefined {
  const versions = versionsFolder(dataDir);
  try {
    return readdirSync(versions)
      .filter((version) => !version.startsWith(incompletePrefix))
      .map((version) => join(versions, version, file))
      .find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}

/** The files that are served below `/v/VERSION/`. */
const served = '{embed,voice-assistant-chat,chunks/*}.js{,.br,.gz}';

/**
 * Stores the files of the built widget, so that pages with a pinned snippet work after an upgrade. A failure is logged:
 * only later versions would miss these files.
 */
export async function storeWidgetVersion(folder: string, dataDir: string, log: Logger): Promise<void> {
  const version = builtVersion(folder);
  if (version === undefined) return;
  const versions = versionsFolder(dataDir);
  const target = join(versions, version);
  try {
    const hashes = await readFile(join(folder, 'integrity.json'));
    const stored = await readFile(join(target, 'integrity.json')).catch(() => undefined);
    if (stored?.equals(hashes) === true) return;
    await mkdir(versions, { recursive: true });
    // Processes that share the folder never see a part of the files.
    const complete = await mkdtemp(join(versions, incompletePrefix));
    try {
      for await (const name of glob([served, 'integrity.json'], { cwd: folder }))
        await cp(join(folder, name), join(complete, name));
      await rm(target, { recursive: true, force: true });
      await rename(complete, target);
    } finally {
      await rm(complete, { recursive: true, force: true });
    }
  } catch (err) {
    log.warn(
      { err },
      `could not store the files of version ${version} in ${versions}: pages that name this version lose their chat ` +
        'at the next upgrade',
    );
  }
}
