import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { SendMessageRequest, WriteMessageRequest } from '../../src/contract/conversation.ts';
import { variablesField } from '../../src/contract/request-fields.ts';
import { firstIssue } from './first-issue.ts';

const issue = (fields: object) => firstIssue(SendMessageRequest, { message: 'a', ...fields });

describe('client_tools', () => {
  const tool = { name: 'show_product', description: 'Shows a product' };
  const issueOf = (more: object) => issue({ client_tools: [{ ...tool, ...more }] });
  const withParameter = (more: object) => issueOf({ parameters: [{ name: 'id', type: 'string', ...more }] });

  it('requires a name and a description', () => {
    assert.equal(issueOf({}), undefined);
    assert.equal(issueOf({ name: undefined }), 'client_tools: a name must be a string');
    assert.equal(issueOf({ description: undefined }), 'client_tools: a description must be a string');
  });

  it('may be absent, null or empty', () => {
    for (const client_tools of [undefined, null, []]) assert.equal(issue({ client_tools }), undefined);
  });

  it('defaults omitted fields', () => {
    const { client_tools } = z.parse(SendMessageRequest, {
      message: 'a',
      client_tools: [tool, { ...tool, name: 'go', parameters: [{ name: 'x', type: 'bool' }] }],
    });
    assert.deepEqual(client_tools, [
      { ...tool, parameters: [] },
      { ...tool, name: 'go', parameters: [{ name: 'x', type: 'bool', description: '', required: false }] },
    ]);
  });

  it('requires names of 2 to 64 letters, digits, _ and -', () => {
    for (const name of ['ab', 'Show-Product_2', 'n'.repeat(64)]) assert.equal(issueOf({ name }), undefined);
    for (const name of ['a', '', 'n'.repeat(65), 'show product', 'größe', 'a.b', 'ab\n'])
      assert.equal(issueOf({ name }), 'client_tools: a name must be 2 to 64 letters, digits, _ or -', name);
  });

  it('limits descriptions to 255 characters', () => {
    assert.equal(issueOf({ description: '😀'.repeat(255) }), undefined);
    assert.equal(
      issueOf({ description: '😀'.repeat(256) }),
      'client_tools: a description may have at most 255 characters',
    );
  });

  it('validates the name, type and description of a parameter', () => {
    for (const type of ['string', 'number', 'bool'])
      assert.equal(withParameter({ name: 'x', type, description: 'X', required: true }), undefined);
    assert.match(withParameter({ type: 'boolean' }) ?? '', /string, number or bool/);
    assert.match(withParameter({ name: 'a b' }) ?? '', /^client_tools: the name of a parameter/);
    assert.match(withParameter({ description: 'd'.repeat(256) }) ?? '', /at most 255 characters/);
    assert.equal(withParameter({ required: 'yes' }), 'client_tools: required must be true or false');
    assert.equal(issueOf({ parameters: {} }), 'client_tools: parameters must be a list');
    assert.equal(issueOf({ parameters: ['id'] }), 'client_tools: a parameter must be an object');
  });

  it('limits tools and their parameters to 16 each', () => {
    const many = (count: number, fields: object) =>
      Array.from({ length: count }, (_, index) => ({ ...fields, name: `n${index}` }));
    const parameters = (count: number) => many(count, { type: 'string' });
    assert.equal(issue({ client_tools: many(16, { ...tool, parameters: parameters(16) }) }), undefined);
    assert.equal(issue({ client_tools: many(17, tool) }), 'client_tools: at most 16 are allowed');
    assert.equal(issueOf({ parameters: parameters(17) }), 'client_tools: at most 16 parameters are allowed');
  });

  it('rejects duplicate names', () => {
    assert.equal(issue({ client_tools: [tool, tool] }), 'client_tools: two have the same name');
  });

  it('rejects anything but a list of objects', () => {
    assert.equal(issue({ client_tools: tool }), 'client_tools must be a list');
    assert.equal(issue({ client_tools: ['show_product'] }), 'client_tools: a tool must be an object');
  });
});

describe('tool_results', () => {
  const call = { name: 'show_product', arguments: { id: 7 } };
  const issueOf = (more: object) => issue({ tool_results: [{ ...call, ...more }] });

  it('accepts any JSON or no result', () => {
    for (const result of [undefined, null, 0, '', 'done', [1, ['b']], { a: { b: true } }])
      assert.equal(issueOf({ result }), undefined, JSON.stringify(result));
    for (const tool_results of [undefined, null, []]) assert.equal(issue({ tool_results }), undefined);
  });

  it('requires the name and the arguments of the call', () => {
    assert.equal(issueOf({ name: undefined }), 'tool_results: a name must be a string');
    assert.equal(issueOf({ arguments: undefined }), 'tool_results: arguments must be an object');
    assert.equal(issueOf({ arguments: [1] }), 'tool_results: arguments must be an object');
    assert.equal(issue({ tool_results: ['done'] }), 'tool_results: a result must be an object');
    assert.equal(issue({ tool_results: call }), 'tool_results must be a list');
  });

  it('limits a result to 4,000 characters of JSON, including name and arguments', () => {
    const overhead = JSON.stringify({ ...call, result: '' }).length;
    assert.equal(issueOf({ result: '😀'.repeat(4000 - overhead) }), undefined);
    assert.equal(
      issueOf({ result: '😀'.repeat(4001 - overhead) }),
      'tool_results: one may have at most 4000 characters as JSON',
    );
  });

  it('limits results to 16', () => {
    assert.equal(issue({ tool_results: Array(16).fill(call) }), undefined);
    assert.equal(issue({ tool_results: Array(17).fill(call) }), 'tool_results: at most 16 are allowed');
  });
});

describe('a list or an object with too many entries', () => {
  /** Creates an object that counts how often its entries are read. */
  function countedEntries(count: number) {
    const all = {};
    let reads = 0;
    const read = () => {
      reads++;
      return 'text';
    };
    for (let index = 0; index < count; index++)
      Object.defineProperty(all, `${index}`, { get: read, enumerable: true });
    return { all, reads: () => reads };
  }

  it('is rejected before any entry is checked', () => {
    const { all, reads } = countedEntries(90_000);
    assert.equal(issue({ variables: all }), 'variables: at most 100 are allowed');
    const owner = z.safeParse(z.object({ variables: variablesField() }), { variables: all });
    assert.equal(owner.error?.issues[0]?.message, 'must not have more than 100 items.');
    assert.equal(reads(), 0);
    const list = Array.from({ length: 90_000 }, () => ({}));
    for (const [field, message] of [
      ['client_tools', 'client_tools: at most 16 are allowed'],
      ['tool_results', 'tool_results: at most 16 are allowed'],
    ] as const) {
      const { error } = SendMessageRequest.safeParse({ message: 'a', [field]: list });
      assert.deepEqual(
        error?.issues.map((each) => each.message),
        [message],
      );
    }
  });

  it('is rejected as the value of a variable before its parts are checked', () => {
    // As JSON it is a list of null, and as a value of JSON invalid.
    const parts = Array(1000).fill(undefined);
    for (const [schema, message] of [
      [SendMessageRequest, 'variables: a value may have at most 2000 characters'],
      [z.object({ variables: variablesField() }), 'must not have values greater than 2000 characters.'],
    ] as const)
      assert.equal(firstIssue(schema, { message: 'a', variables: { parts } }), message);
  });
});

describe('the variables of a message', () => {
  it('have the same limits as when a conversation is opened', () => {
    assert.equal(issue({ variables: { basket: ['boots'] } }), undefined);
    assert.equal(issue({ variables: null }), undefined);
    assert.equal(
      issue({ variables: { text: 'a'.repeat(2001) } }),
      'variables: a value may have at most 2000 characters',
    );
  });
});

describe('WriteMessageRequest', () => {
  it('has the limits of a visitor message', () => {
    const written = (message: unknown) => firstIssue(WriteMessageRequest, { message });
    assert.equal(written('a'.repeat(2000)), undefined);
    assert.equal(written('a'.repeat(2001)), 'message may have at most 2000 characters');
    assert.equal(written(' '), 'message is required');
  });
});
