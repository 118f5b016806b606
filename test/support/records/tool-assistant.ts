import { assistantBody, readAssistant } from './assistant-body.ts';
import { Owner } from './owner.ts';
import type { TestService } from '../service/service.ts';

/** An assistant with mid-call tools, made over the interface. */
export interface ToolAssistant {
  owner: Owner;
  id: number;
  uuid: string;
}

/**
 * Creates an owner, their tools and an assistant that has them.
 *
 * @param tools what differs from a tool without parameters, called by GET.
 * @param more further fields of the assistant.
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

/** Makes the tools of an assistant what they may be in a row from before `call_transfer` needed a number. */
export async function forgetNumbers({ running }: TestService, id: number): Promise<void> {
  await running.database.pool.query(
    `UPDATE assistants SET tools =
       (SELECT jsonb_agg(tool || '{"phone_number": null}') FROM jsonb_array_elements(tools) AS tool)
     WHERE id = $1`,
    [id],
  );
}
