import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutgoingError } from '../../../src/service/outgoing/outgoing-error.ts';
import { checkHeaders, withoutSecrets } from '../../../src/service/outgoing/request-headers.ts';

for (const [name, value] of [
  ['X-Key', 'a\r\nHost: inside'],
  ['X-Key', 'a\nb'],
  ['X-Key', 'a\0b'],
  ['X Key', 'a'],
  ['X-Key:', 'a'],
  ['X-Key\n', 'a'],
  ['', 'a'],
  ['X-Kéy', 'a'],
  ['X-Key', '→'],
] as const) {
  test(`refuses the header ${JSON.stringify(`${name}: ${value}`)}`, () => {
    assert.throws(() => checkHeaders({ [name]: value }), OutgoingError);
  });
}

test('keeps header values, and sends only public headers to another origin', () => {
  const headers = checkHeaders({ Accept: 'text/html', 'X-Key': ' a\tb ', Cookie: 'c', Host: 'inside' });
  assert.deepEqual(Object.keys(headers).sort(), [
    'accept',
    'accept-encoding',
    'cookie',
    'user-agent',
    'x-key',
  ]);
  assert.equal(headers['x-key'], ' a\tb ');
  assert.deepEqual(Object.keys(withoutSecrets(headers)).sort(), ['accept', 'accept-encoding', 'user-agent']);
});
