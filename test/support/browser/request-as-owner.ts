import { executeServerCommand } from '@web/test-runner-commands';
import type { OwnerRequest } from './owner-commands.ts';

/** Sends a request of the service's owner, and returns the response. */
export const requestAsOwner = (
  path: OwnerRequest['path'],
  body: OwnerRequest['body'] = {},
  method: OwnerRequest['method'] = 'POST',
) => executeServerCommand<Record<string, unknown>, OwnerRequest>('owner:request', { method, path, body });
