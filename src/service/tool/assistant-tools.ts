import { and, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { assistants } from '../db/schema.ts';
import { toolHeaders } from '../db/secrets/sealed-columns.ts';
import { tools } from '../db/tools-table.ts';
import type { EngineTool } from '../engine/engine.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { builtInNames, builtInTools } from './built-in-tools.ts';
import type { Channel } from './built-in-tools.ts';
import { callTool } from './call-tool.ts';
import type { CallableTool } from './call-tool.ts';

type Tool = Omit<typeof tools.$inferSelect, 'headers'> & Pick<CallableTool, 'headers'>;

/** The fields of an assistant that its tools depend on. */
export type ToolOwner = Pick<
  typeof assistants.$inferSelect,
  'userId' | 'toolIds' | 'tools' | 'handoffWebhookUrl'
>;

/**
 * Returns an assistant's built-in and mid-call tools, each name once. Mid-call tools cannot use the names of built-in
 * ones.
 */
export async function assistantTools(
  { db, secrets }: Pick<Database, 'db' | 'secrets'>,
  assistant: ToolOwner,
  fetchGuarded: FetchGuarded,
  channel: Channel,
): Promise<EngineTool[]> {
  const { toolIds, userId } = assistant;
  const rows =
    toolIds.length === 0
      ? []
      : await db
          .select({ ...getTableColumns(tools), headers: secrets.select(toolHeaders) })
          .from(tools)
          .where(and(inArray(tools.id, toolIds), eq(tools.userId, userId)))
          .orderBy(tools.id);
  const usedNames = new Set<string>(builtInNames);
  const midCallTools = rows.filter(({ name }) => !usedNames.has(name) && usedNames.add(name));
  return [
    ...builtInTools(assistant.tools, channel, assistant.handoffWebhookUrl !== null),
    ...midCallTools.map((tool) => toEngineTool(tool, fetchGuarded)),
  ];
}

/** Every parameter is required: the schema knows no optional ones. Earlier, two could have the same name. */
function toEngineTool(tool: Tool, fetchGuarded: FetchGuarded): EngineTool {
  const schema = new Map(tool.schema.map((parameter) => [parameter.name, parameter])).values();
  return {
    name: tool.name,
    description: tool.description,
    isPrivate: tool.isPrivate,
    parameters: Array.from(schema, ({ name, type, description }) => ({
      name,
      type: type === 'number' ? 'number' : type === 'boolean' ? 'bool' : 'string',
      description,
      required: true,
    })),
    run: async (given, signal) => ({ result: await callTool(fetchGuarded, tool, given, signal) }),
  };
}
