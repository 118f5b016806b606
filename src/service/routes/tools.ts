import type { Context, Hono } from 'hono';
import * as endpoints from '../../contract/tool.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { hideUrlCredentials } from './hide-url-credentials.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { createTool, deleteTool, listTools, readTool, requireTool, updateTool } from '../tool/tool.ts';

/** Mid-call tools (interface: "Mid-call tools"). */
export function toolRoutes(routes: Hono<Authenticated>, database: Database): void {
  mountOperation(routes, endpoints.listTools, async ({ c, userId }) =>
    (await listTools(database, userId)).map((tool) => withoutSecrets(c, tool)),
  );
  mountOperation(routes, endpoints.readTool, async ({ c, userId, id }) =>
    withoutSecrets(c, await readTool(database, { id: id(), userId })),
  );
  mountOperation(routes, endpoints.createTool, async ({ database, userId, body }) => ({
    message: 'Tool created successfully.',
    data: await createTool(database, userId, body),
  }));
  mountOperation(
    routes,
    endpoints.updateTool,
    async ({ database, userId, id, body }) => ({
      message: 'Tool updated successfully.',
      data: await updateTool(database, { id: id(), userId }, body),
    }),
    // A missing tool is reported before invalid fields.
    async (_, { userId, id }) => {
      await requireTool(database, { id: id(), userId });
      return {};
    },
  );
  mountOperation(routes, endpoints.deleteTool, async ({ database, userId, id }) => {
    await deleteTool(database, { id: id(), userId });
    return { message: 'Tool deleted successfully.' };
  });
}

interface Header {
  name: string;
  value: string;
}

/** Hides the values of a tool's headers, and the password of its URL, from keys that may not change them. */
function withoutSecrets<Tool extends { headers: Header[] }>(c: Context<Authenticated>, tool: Tool): Tool {
  if (c.get('user').scopes.includes('write')) return tool;
  return {
    ...hideUrlCredentials(c)(tool),
    headers: tool.headers.map(({ name }) => ({ name, value: '[hidden]' })),
  };
}
