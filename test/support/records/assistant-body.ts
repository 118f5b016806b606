import type { Owner } from './owner.ts';

/** The request body of a new assistant with only the required fields, plus `more`. */
export const assistantBody = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Kim',
  voice_id: 1,
  language_id: 1,
  type: 'outbound',
  mode: 'pipeline',
  timezone: 'Europe/Berlin',
  initial_message: 'Hello!',
  system_prompt: 'Be kind.',
  llm_model_id: 1,
  ...more,
});

/** The full record of an assistant, read from the list. */
export async function readAssistant(owner: Owner, id: number): Promise<Record<string, unknown>> {
  const { json } = await owner.get('assistants/get?per_page=100');
  const found = (json['data'] as Record<string, unknown>[]).find((record) => record['id'] === id);
  if (!found) throw new Error(`Assistant ${id} is not listed.`);
  return found;
}
