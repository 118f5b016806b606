import type { Problem } from '../../conversation/problem.ts';
import { warnOnce } from '../../warn-once.ts';
import { describeProblem } from './owner-advice.ts';

/** Warns the site's owner that the service at `baseUrl` refuses this page, or that no conversation opens there. */
export function warnOwner({ code, message }: Problem, baseUrl: string): void {
  // The shell warns of missing attributes. A stored conversation that was deleted or has ended is no mistake of the site.
  if (/^(assistant-id|base-url|conversation)/.test(code)) return;
  if (/^[./]|:\/\//.test(baseUrl)) {
    warnOnce(`${baseUrl}/api/conversations failed with ${describeProblem({ code, message })}`);
    return;
  }
  const host = baseUrl.replace(/^https?:\/*/i, '');
  const scheme = /^(localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i.test(host) ? 'http' : 'https';
  warnOnce(`base-url="${baseUrl}" is no complete address: write base-url="${scheme}://${host}".`);
}
