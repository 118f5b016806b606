import { getPath } from 'hono/utils/url';

/**
 * Returns the path by which a request is routed. In the API, slashes at its end and repeated ones at its beginning do
 * not count: clients get them when they join a base URL and a path.
 */
export function readPath(request: Request): string {
  const path = getPath(request);
  const api = /^\/+api\//.exec(path);
  if (!api) return path;
  let end = path.length;
  while (path.endsWith('/', end)) end--;
  return path.slice(api[0].length - '/api/'.length, Math.max(end, api[0].length));
}
