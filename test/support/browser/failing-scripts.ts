import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { TestRunnerConfig } from '@web/test-runner';
import { repository } from '../repository.ts';
import { failingScriptCookie } from './fail-script.ts';

type Middleware = NonNullable<TestRunnerConfig['middleware']>[number];

/**
 * Serves the built files below `/copies/…/` too, so that a browser has none of them in its cache, and refuses the one
 * that a page names in its cookie.
 */
export const failingScripts: Middleware = async (context, next) => {
  const [, file] = /^\/copies\/[^/]+\/(dist\/.+)$/.exec(context.path) ?? [];
  if (file === undefined) {
    await next();
    return;
  }
  const name = context.cookies.get(failingScriptCookie);
  if (name && file.startsWith(`dist/chunks/${name}-`)) {
    context.status = 503;
    context.body = 'The file is not available.';
  } else {
    context.type = 'js';
    context.body = createReadStream(join(repository, file));
  }
};
