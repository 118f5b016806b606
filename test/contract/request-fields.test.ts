import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { operations } from '../../src/contract/operations.ts';

/** Creates a list of 90,000 items that counts how often one of them is read. */
function longList() {
  let reads = 0;
  const item = {
    get name() {
      reads++;
      return '';
    },
  };
  const items = new Proxy(Array<unknown>(90_000).fill(item), {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { items, reads: () => reads };
}

describe('a list with too many items', () => {
  for (const [operation, field, max] of [
    ['createAssistant', 'tools', 50],
    ['createAssistant', 'tool_ids', 50],
    ['createAssistant', 'secondary_language_ids', 50],
    ['createAssistant', 'post_call_schema', 50],
    ['createTool', 'headers', 50],
    ['createTool', 'schema', 50],
    ['createDocument', 'links', 50],
    ['createLead', 'secondary_contacts', 50],
    ['createCampaign', 'phone_number_ids', 50],
    ['createCampaign', 'allowed_days', 7],
  ] as const) {
    it(`is rejected before its items are checked: ${field} of ${operation}`, () => {
      const { items, reads } = longList();
      const { error } = z.safeParse(operations[operation].request, { [field]: items });
      const messages = error?.issues.filter(({ path }) => path[0] === field).map(({ message }) => message);
      assert.deepEqual(messages, [`must not have more than ${max} items.`]);
      assert.equal(reads(), 0);
    });
  }
});
