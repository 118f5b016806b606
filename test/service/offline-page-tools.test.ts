import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const { uuid: assistant } = await createAssistant(service, { balance: '100' });

const tools = [
  {
    name: 'show_product',
    description: 'Shows a product.',
    parameters: [
      { name: 'name', type: 'string', required: true },
      { name: 'count', type: 'number' },
      { name: 'color', type: 'string' },
      { name: 'large', type: 'bool' },
    ],
  },
  { name: 'scrollToTop', description: 'Scrolls up.' },
  { name: 'open', description: 'Opens the cart.' },
];
const ask = async (message: string, more: object = {}) =>
  (await service.send(await service.open(assistant), message, {}, { client_tools: tools, ...more })).json;
const calls = async (message: string) =>
  ((await ask(message))['function_calls'] as { name: string; arguments: unknown; client: boolean }[]).map(
    ({ name, arguments: input, client }) => {
      assert.equal(client, true);
      return [name, input];
    },
  );

test('calls the page tool that a message names, and says that the result is pending', async () => {
  const answer = await ask('Please run show_product "Boots"');
  assert.deepEqual(answer['function_calls'], [
    { name: 'show_product', arguments: { name: 'Boots' }, client: true },
  ]);
  assert.match(answer['message'] as string, /asked this page to run “Show product”.*with your next message/);
});

test('recognizes a name in words and in any letter case', async () => {
  for (const message of ['Show product "Boots"', 'could you SHOW-PRODUCT “Boots”?', 'show_product «Boots»'])
    assert.deepEqual(await calls(message), [['show_product', { name: 'Boots' }]], message);
  assert.deepEqual(await calls('Now scroll to top, please'), [['scrollToTop', {}]]);
});

test('ignores a name inside another word, or a common word in a sentence', async () => {
  for (const message of ['show_products "Boots"', 'reshow product "Boots"', 'When do you open?', 'scroll'])
    assert.deepEqual(await calls(message), [], message);
  assert.deepEqual(await calls('Open, please'), [['open', {}]]);
});

test('fills parameters with the strings, numbers and booleans of the message, in order', async () => {
  assert.deepEqual(await calls('show product "Boots 2" 3 times in "dark red", large: yes'), [
    ['show_product', { name: 'Boots 2', count: 3, color: 'dark red', large: true }],
  ]);
  assert.deepEqual(await calls('show product "Boots" -1.5 no'), [
    ['show_product', { name: 'Boots', count: -1.5, large: false }],
  ]);
});

test('calls nothing if parameters are missing, and lists them', async () => {
  const answer = await ask('Show product');
  assert.deepEqual(answer['function_calls'], []);
  assert.match(answer['message'] as string, /I need: name\./);
});

test('reports the result with the next message', async () => {
  const tool_results = [
    { name: 'show_product', arguments: { name: 'Boots' }, result: { price: '{name} €199' } },
    { name: 'scrollToTop', arguments: {} },
  ];
  assert.equal(
    (await ask('And?', { tool_results }))['message'],
    'The page has run “Show product”. It returned: Price: {name} €199\n\nThe page has run “Scroll to top”.',
  );
  assert.match(
    (await ask('Thanks', { tool_results }))['message'] as string,
    /“Scroll to top”\.\n\nYou're welcome/,
  );
});
