import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { OpenConversationRequest, SendMessageRequest } from '../../src/contract/conversation.ts';
import { firstIssue } from './first-issue.ts';

const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';

describe('SendMessageRequest', () => {
  const issue = (message: unknown) => firstIssue(SendMessageRequest, { message });

  const accepted: [unknown, string][] = [
    ['a', 'one character'],
    ['a'.repeat(2000), '2,000 characters'],
    ['😀'.repeat(2000), '2,000 characters that take two UTF-16 units each'],
    [' a\n', 'a text with surrounding white space'],
    ['{{name}} <b>&amp;', 'template and HTML syntax'],
  ];
  for (const [message, description] of accepted) {
    it(`accepts ${description}`, () => {
      assert.equal(issue(message), undefined);
      // The message is not trimmed.
      assert.equal(z.parse(SendMessageRequest, { message }).message, message);
    });
  }

  const refused: [unknown, string, string][] = [
    ['a'.repeat(2001), '2,001 characters', 'message may have at most 2000 characters'],
    [
      '😀'.repeat(2001),
      '2,001 characters beyond the basic plane',
      'message may have at most 2000 characters',
    ],
    ['', 'an empty string', 'message is required'],
    [' \n\t\u00a0', 'only white space', 'message is required'],
    [undefined, 'an absent message', 'message is required'],
    [null, 'null', 'message is required'],
    [7, 'a number', 'message must be a string'],
    [['a'], 'a list', 'message must be a string'],
    ['a\0b', 'a null character', 'message must not contain null characters'],
  ];
  for (const [message, description, expected] of refused) {
    it(`rejects ${description}`, () => {
      assert.equal(issue(message), expected);
    });
  }

  it('rejects a body that is not an object', () => {
    for (const body of [null, [], 'message', 1]) {
      assert.equal(firstIssue(SendMessageRequest, body), 'the body must be a JSON object');
    }
  });

  it('ignores unknown fields', () => {
    assert.equal(firstIssue(SendMessageRequest, { message: 'a', stream: true }), undefined);
  });
});

describe('OpenConversationRequest', () => {
  const issue = (fields: object) => firstIssue(OpenConversationRequest, { assistant_id: uuid, ...fields });

  it('requires only the assistant', () => {
    assert.equal(z.parse(OpenConversationRequest, { assistant_id: uuid }).type, 'widget');
  });

  it('accepts null for an optional field', () => {
    assert.equal(issue({ type: null, variables: null }), undefined);
  });

  it('accepts the UUID in upper case', () => {
    assert.equal(issue({ assistant_id: uuid.toUpperCase() }), undefined);
  });

  it('accepts the types widget and test only', () => {
    assert.equal(issue({ type: 'widget' }), undefined);
    assert.equal(issue({ type: 'test' }), undefined);
    for (const type of ['Test', '', 'call', 1]) assert.equal(issue({ type }), 'type must be widget or test');
  });

  it('distinguishes an absent from a malformed assistant_id', () => {
    for (const absent of [undefined, null]) {
      assert.equal(issue({ assistant_id: absent }), 'assistant_id is required');
    }
    for (const malformed of ['', '1', `${uuid}0`, uuid.slice(1), uuid.replaceAll('-', ''), 17, {}]) {
      assert.equal(issue({ assistant_id: malformed }), 'assistant_id must be a UUID');
    }
  });

  it('rejects a body that is not an object', () => {
    for (const body of [null, [], uuid]) {
      assert.equal(firstIssue(OpenConversationRequest, body), 'the body must be a JSON object');
    }
  });
});

describe('the variables of a request', () => {
  const issue = (variables: unknown) =>
    firstIssue(OpenConversationRequest, { assistant_id: uuid, variables });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name_${index}`, 'value']));

  it('may have any JSON as values', () => {
    assert.equal(
      issue({ text: 'a', number: 1.5, yes: true, none: null, list: [1, ['b']], object: { c: {} } }),
      undefined,
    );
  });

  it('may be empty', () => {
    assert.equal(issue({}), undefined);
  });

  it('are limited to 100', () => {
    assert.equal(issue(many(100)), undefined);
    assert.equal(issue(many(101)), 'variables: at most 100 are allowed');
  });

  it('have names of at most 64 characters', () => {
    assert.equal(issue({ ['n'.repeat(64)]: '' }), undefined);
    assert.equal(issue({ ['😀'.repeat(64)]: '' }), undefined);
    assert.equal(issue({ ['n'.repeat(65)]: '' }), 'variables: a name may have at most 64 characters');
  });

  it('have values of at most 2,000 characters', () => {
    const tooLong = 'variables: a value may have at most 2000 characters';
    assert.equal(issue({ text: '😀'.repeat(2000) }), undefined);
    assert.equal(issue({ text: '😀'.repeat(2001) }), tooLong);
    // Other values are counted as JSON: here with two brackets and two quotation marks.
    assert.equal(issue({ list: ['a'.repeat(1996)] }), undefined);
    assert.equal(issue({ list: ['a'.repeat(1997)] }), tooLong);
  });

  it('must be an object', () => {
    for (const variables of ['{}', 1, true, ['Ada'], [{}]])
      assert.equal(issue(variables), 'variables must be an object');
    assert.notEqual(issue([1]), undefined);
  });
});
