import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CreateAssistantRequest } from '../../src/contract/assistant.ts';
import { Document } from './document.ts';

/** The settings of an assistant that mean the same in a call and in writing, or nothing in a call. */
const others: readonly string[] = [
  ...['name', 'type', 'timezone', 'system_prompt', 'variables', 'private_variables', 'llm_temperature'],
  ...['knowledgebase_id', 'knowledgebase_mode', 'tool_ids'],
  ...['is_webhook_active', 'webhook_url', 'send_webhook_only_on_completed', 'include_recording_in_webhook'],
  ...['conversation_ended_webhook_url', 'usage_webhook_url', 'handoff_webhook_url'],
  ...['post_call_evaluation', 'post_call_schema'],
  ...['conversation_inactivity_timeout', 'conversation_ended_retrigger', 'max_conversation_messages'],
  ...['max_visitor_messages_per_day', 'max_messages_per_day', 'max_test_messages_per_day'],
  ...['proof_of_work', 'allowed_origins', 'user_token_required'],
];

describe("the table of a call's settings", () => {
  const rows = new Document('docs/calls.md').rows('Settings of assistants');
  const named = rows.flatMap(([cell = '']) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name));
  const settings = Object.keys(CreateAssistantRequest.shape);

  it('names every setting that concerns a call, once', () => {
    const expected = settings.filter((name) => !others.includes(name));
    assert.deepEqual(named.toSorted(), expected.toSorted());
  });

  it('describes the effect of each with every carrier', () => {
    for (const row of rows) {
      assert.equal(row.length, 5, row.join('|'));
      assert(
        row.every((cell) => cell.trim() !== ''),
        row.join('|'),
      );
    }
  });

  it('leaves out only settings that exist', () => {
    assert.deepEqual(
      others.filter((name) => !settings.includes(name)),
      [],
    );
  });
});
