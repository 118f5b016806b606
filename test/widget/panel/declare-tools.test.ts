import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientTools } from '../../../src/contract/client-tool.ts';
import { declareTools, validTools } from '../../../src/widget/panel/page-tools/declare-tools.ts';

const query = { name: 'query', type: 'string', description: 'The text to search for' };

describe('the declarations of page tools', () => {
  for (const [title, parameters, warning] of [
    ['two parameters of one name', [query, query], /two of its parameters have the same name/],
    ['a required that is a text', [{ ...query, required: 'yes' }], /required true or false/],
  ] as const)
    it(`leave out a tool with ${title}, which the service would refuse with every message`, ({ mock }) => {
      const warn = mock.method(console, 'warn', () => undefined);
      const search = { name: 'search', description: 'Searches', parameters, run: () => undefined };
      const valid = validTools([search, { ...search, name: 'valid', parameters: [query] }]);
      assert.deepEqual([...valid.keys()], ['valid']);
      assert.match(String(warn.mock.calls[0]?.arguments[0]), warning);
      assert(ClientTools.safeParse(declareTools(valid)).success);
      assert(!ClientTools.safeParse([search]).success);
    });

  it('are accepted by the service with every type, and a required of true, false or null', () => {
    const parameters = [
      { ...query, name: 'a', required: true },
      { ...query, name: 'b', type: 'number', required: false },
      { ...query, name: 'c', type: 'bool', required: null },
      { ...query, name: 'd', required: undefined },
    ];
    const valid = validTools([{ name: 'search', description: 'Searches', parameters, run: () => undefined }]);
    assert.equal(valid.size, 1);
    assert(ClientTools.safeParse(declareTools(valid)).success);
  });
});
