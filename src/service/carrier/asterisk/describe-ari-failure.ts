import { AriError } from './ari-client.ts';

/**
 * Returns why Asterisk cannot be used, and how to solve this, as sentences without passwords.
 *
 * @param error undefined if Asterisk closed the connection.
 */
export function describeAriFailure(url: string, error: unknown): string {
  const { origin, pathname } = new URL(url);
  const asterisk = `Asterisk at ${origin}${pathname.replace(/\/+$/, '')}`;
  if (error === undefined) return `${asterisk} has closed the connection.`;
  const status = statusOf(error);
  if (status === 401 || status === 403)
    return `${asterisk} refuses the user or the password (${status}). ASTERISK_USER and ASTERISK_PASSWORD must be those in ari.conf.`;
  if (status === undefined)
    return `${asterisk} cannot be reached (${reasonOf(error)}). Check ASTERISK_URL, and whether Asterisk runs.`;
  return `${asterisk} responds with ${status}. Check ASTERISK_URL, and \`enabled = yes\` in ari.conf and http.conf.`;
}

/** Returns the HTTP status of a refused request or WebSocket. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof AriError) return error.status;
  const [, status] = /^Unexpected server response: (\d+)/.exec((error as Error).message) ?? [];
  return status === undefined ? undefined : Number(status);
}

function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : message;
}
