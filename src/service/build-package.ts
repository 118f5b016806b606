import { execFile } from 'node:child_process';
import { cp, glob, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/*
 * The last step before the service is published: compiles it to `dist` in this folder, and adds the files it reads and
 * the built widget.
 */

const service = import.meta.dirname;
const repository = join(service, '../..');
const widget = join(repository, 'dist');
const output = join(service, 'dist');

await stat(join(widget, 'embed.js')).catch(() => {
  throw new Error('The widget is not built. Run "npm run build" in the repository first.');
});
await rm(output, { recursive: true, force: true });
await promisify(execFile)(process.execPath, [
  join(repository, 'node_modules/typescript/bin/tsc'),
  ...['--project', join(service, 'tsconfig.package.json')],
]);
for await (const file of glob('{package.json,{db/migrations,seed}/**/*.{sql,md},knowledge/extract/cmaps/*}', {
  cwd: service,
})) {
  await cp(join(service, file), join(output, 'service', file));
}
/** Declarations and the build for bundlers are not served. Source maps would be most of the package. */
const isServed = (path: string) =>
  !/\.(map|tsbuildinfo)$/.test(path) &&
  !['types', 'npm', 'sbom.cdx.json', 'dependencies.md'].includes(basename(path));
await cp(widget, join(output, 'widget'), { recursive: true, filter: isServed });
// Examples that operators copy: systemd, proxies, Grafana, Prometheus and Asterisk.
for (const examples of ['deploy', 'monitoring', 'asterisk']) {
  await cp(join(repository, 'docs', examples), join(output, examples), { recursive: true });
}
await cp(join(repository, 'LICENSE'), join(output, 'LICENSE'));
