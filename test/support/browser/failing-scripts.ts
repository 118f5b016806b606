import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { TestRunnerConfig } from '@web/test-runner';
import { repository } from '../repository.ts';
import { failingScriptCookie, heldScriptCookie } from './fail-script.ts';

type Middleware = NonNullable<TestRunnerConfig['middleware']>[number];

/**
 * Serves the built files below `/copies/…/` too, so that they are not in the browser's cache. Refuses the file that the
 * page names in one cookie, and never answers requests for the file that it names in another.
 */
export const failingScripts: Middleware = async (context, next) => {
  const [, file] = /^\/copies\/[^/]+\/(dist\/.+)$/.exec(context.path) ?? [];
  if (file === undefined) {
    await next();
    return;
  }
  const isNamedIn = (cookie: string): boolean => {
    const name = context.cookies.get(cookie);
    return !!name && file.startsWith(`dist/chunks/${name}-`);
  };
  if (isNamedIn(heldScriptCookie)) await once(context.res, 'close');
  if (isNamedIn(failingScriptCookie)) {
    context.status = 503;
    context.body = 'The file is not available.';
  } else {
    context.type = 'js';
    context.body = createReadStream(join(repository, file));
  }
};
