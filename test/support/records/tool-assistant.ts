import { assistantBody, readAssistant } from './assistant-body.ts';
import { Owner } from './owner.ts';
import type { TestService } from '../service/service.ts';

/** An assistant with mid-call tools, created through the API. */
export interface ToolAssistant {
  owner: Owner;
  id: number;
  uuid: string;
}

/**
 * Creates an owner, tools and an assistant with these tools.
 *
 * @param tools fields of each tool; by default, it has no parameters and its method is GET
 * @param more other fields of the assistant
 */
export async function createToolAssistant(
  service: TestService,
  tools: Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Promise<ToolAssistant> {
  const owner = await Owner.create(service, '100');
  const ids: number[] = [];
  for (const tool of tools) {
    const created = await owner.create('tools', { description: 'A tool of a test.', method: 'GET', ...tool });
    ids.push(created.id);
  }
  const { id } = await owner.create(
    'assistant',
    assistantBody({ tool_ids: ids, initial_message: 'Hello!', ...more }),
  );
  const { uuid } = await readAssistant(owner, id);
  return { owner, id, uuid: String(uuid) };
}

/** Removes the phone numbers of an assistant's tools, as in rows stored before `call_transfer` required one. */
export async function removeToolNumbers({ running }: TestService, id: number): Promise<void> {
  await running.database.pool.query(
    `UPDATE assistants SET tools =
       (SELECT jsonb_agg(tool || '{"phone_number": null}') FROM jsonb_array_elements(tools) AS tool)
     WHERE id = $1`,
    [id],
  );
}
