import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { RETAINED_304_HEADERS, etag } from 'hono/etag';
import { builtVersion, findInVersions, versionsFolder } from './widget-versions.ts';

/** Headers of a 304 response. */
export const retainedHeaders = [
  ...RETAINED_304_HEADERS,
  'access-control-allow-origin',
  'cross-origin-resource-policy',
];

/** Lets pages of any origin load the response. */
export function allowAnyOrigin(c: Context): void {
  c.header('Access-Control-Allow-Origin', '*');
  c.header('Cross-Origin-Resource-Policy', 'cross-origin');
}

/** Responds that a file of the widget is missing. */
export const notBuilt = (c: Context) =>
  c.json({ message: 'Not found. Has the widget been built (npm run build)?' }, 404);

/** Returns a warning if `folder` has no built widget, so that pages cannot load the chat from this service. */
export function warnOfMissingWidget(folder: string): string | undefined {
  const missing = ['embed.js', 'voice-assistant-chat.js'].find((name) => !existsSync(join(folder, name)));
  if (missing === undefined) return undefined;
  return (
    `${folder} has no ${missing}, so pages cannot load the chat from here. ` +
    'Build the widget (npm run build), or set WIDGET_DIR to a folder with a built one.'
  );
}

/** A chunk's name contains the hash of its content, so it never changes. Entries are revalidated each time. */
const immutable = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

const entryFiles = '(voice-assistant-chat|embed)\\.js(\\.map)?';
const chunkFiles = '[\\w.-]+\\.js(\\.map)?';
const versions = '\\d+\\.\\d+\\.\\d+[\\w.-]*';

/**
 * Serves the built widget in `folder` to pages of any origin: the two entry files, their chunks, the source maps and
 * `integrity.json`, with precompressed variants. Other files of the build are not accessible. Below `/v/VERSION/`, the
 * files never change. The files of each version are in `dataDir`.
 */
export function widgetFileRoutes(folder: string, dataDir: string): Hono {
  const pathOf = (path: string): string => {
    const [, version, file = ''] = /^\/v\/([^/]+)(\/.*)$/.exec(path) ?? [];
    if (version === undefined) {
      const built = join(folder, path);
      // Pages that were opened before an upgrade load chunks of an earlier version.
      const isEarlier = path.startsWith('/chunks/') && !existsSync(built);
      return (isEarlier ? findInVersions(dataDir, path) : undefined) ?? built;
    }
    const stored = join(versionsFolder(dataDir), version, file);
    // `folder` has another version if one was installed after the start.
    return !existsSync(stored) && builtVersion(folder) === version ? join(folder, file) : stored;
  };
  const serve = (cacheControl: string) => {
    return [
      etag({ retainedHeaders }),
      serveStatic({
        precompressed: true,
        // Not `root`, which writes to the console when the folder is missing.
        rewriteRequestPath: pathOf,
        onFound: (_, c) => {
          allowAnyOrigin(c);
          c.header('Cache-Control', cacheControl);
        },
      }),
      notBuilt,
    ] as const;
  };
  const routes = new Hono();
  routes.get(`/:name{(?:${entryFiles}|integrity\\.json)}`, ...serve(revalidated));
  routes.get(`/chunks/:name{${chunkFiles}}`, ...serve(immutable));
  routes.get(`/v/:version{${versions}}/:name{(?:${entryFiles}|integrity\\.json)}`, ...serve(immutable));
  routes.get(`/v/:version{${versions}}/chunks/:name{${chunkFiles}}`, ...serve(immutable));
  return routes;
}
