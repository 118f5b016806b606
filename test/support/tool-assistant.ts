import { assistantBody, readAssistant } from './assistant-body.ts';
import { Owner } from './owner.ts';
import type { TestService } from './service.ts';

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
