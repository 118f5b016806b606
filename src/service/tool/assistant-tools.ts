import { and, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { assistants } from '../db/schema.ts';
import { tools } from '../db/tools-table.ts';
import type { EngineTool } from '../engine/engine.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { builtInNames, builtInTools } from './built-in-tools.ts';
import type { Channel } from './built-in-tools.ts';
import { callTool } from './call-tool.ts';

type Tool = typeof tools.$inferSelect;

/** What an assistant has that its tools depend on. */
export type ToolOwner = Pick<typeof assistants.$inferSelect, 'userId' | 'toolIds' | 'tools'>;

/**
 * What the service can do for an assistant while it talks: its built-in tools and its mid-call tools, each name once.
 * The names of built-in tools are theirs alone.
 */
export async function assistantTools(
  queries: Queries,
  assistant: ToolOwner,
  fetchGuarded: FetchGuarded,
  channel: Channel,
): Promise<EngineTool[]> {
  const { toolIds, userId } = assistant;
  const rows =
    toolIds.length === 0
      ? []
      : await queries
          .select()
          .from(tools)
          .where(and(inArray(tools.id, toolIds), eq(tools.userId, userId)))
          .orderBy(tools.id);
  const taken = new Set<string>(builtInNames);
  const own = rows.filter(({ name }) => !taken.has(name) && taken.add(name));
  return [...builtInTools(assistant.tools, channel), ...own.map((tool) => asEngineTool(tool, fetchGuarded))];
}

/** Every parameter is needed: the schema of a tool knows no others. */
function asEngineTool(tool: Tool, fetchGuarded: FetchGuarded): EngineTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.schema.map(({ name, type, description }) => ({
      name,
      type: type === 'number' ? 'number' : type === 'boolean' ? 'bool' : 'string',
      description,
      required: true,
    })),
    run: async (given, signal) => ({ result: await callTool(fetchGuarded, tool, given, signal) }),
  };
}
