import type { Hono } from 'hono';
import * as endpoints from '../../contract/tool.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { mountOperation } from '../http/operate.ts';
import { createTool, deleteTool, listTools, readTool, updateTool } from '../tool/tool.ts';

/** Mid-call tools (interface: "Mid-call tools"). */
export function toolRoutes(routes: Hono<Authenticated>, database: Database): void {
  mountOperation(routes, endpoints.listTools, ({ userId }) => listTools(database, userId));
  mountOperation(routes, endpoints.readTool, ({ userId, id }) => readTool(database, { id: id(), userId }));
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
      await readTool(database, { id: id(), userId });
      return {};
    },
  );
  mountOperation(routes, endpoints.deleteTool, async ({ database, userId, id }) => {
    await deleteTool(database, { id: id(), userId });
    return { message: 'Tool deleted successfully.' };
  });
}
