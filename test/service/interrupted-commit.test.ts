import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failAbandonedReplies } from '../../src/service/conversation/fail-abandoned-replies.ts';
import type { Database } from '../../src/service/db/database.ts';
import { endJobs } from '../support/records/end-jobs.ts';
import { createToolAssistant } from '../support/records/tool-assistant.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, startService } from '../support/service/service.ts';

const model = await startModelServer();
const shop = await startLoopbackServer(() => ({ ordered: true }));
atEnd(() => model.close());
atEnd(() => shop.close());
const { running } = await startService();

/** Losses of the connection while an answer is committed, the next one first. */
let losses: { isCommitted: boolean; meanwhile?: () => Promise<unknown> }[] = [];
const lost = new Error('Connection terminated unexpectedly');
const database: Database = {
  ...running.database,
  async transaction(work) {
    let loss: (typeof losses)[number] | undefined;
    const stored = running.database.transaction(async (tx) => {
      const outcome = await work(tx);
      const isAnswer = typeof outcome === 'object' && outcome !== null && 'functionCalls' in outcome;
      if (isAnswer) loss = losses.shift();
      if (loss?.isCommitted === false) throw lost;
      return outcome;
    });
    return stored.then(
      (outcome) => {
        if (loss?.isCommitted) throw lost;
        return outcome;
      },
      async (error: unknown) => {
        await loss?.meanwhile?.();
        throw error;
      },
    );
  },
};
const service = await startService(
  { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test', ALLOW_PRIVATE_ADDRESSES: shop.address },
  { database },
);

const tools = [
  { type: 'end_call', description: 'At the end.' },
  { type: 'call_transfer', description: 'For a person.', phone_number: '+4930123' },
];

async function open() {
  const order = { name: 'place_order', endpoint: `${shop.url}/orders`, method: 'POST' };
  const { owner, uuid } = await createToolAssistant(service, [order], { tools });
  const conversation = await service.open(uuid);
  return {
    conversation,
    send: async (tool: string) => {
      model.behave({ calls: [{ name: tool, arguments: {} }], chunks: ['Done.'] });
      return service.send(conversation, 'Boots, please', { 'Idempotency-Key': 'order-1' });
    },
    balance: async () => (await owner.get('me')).json['total_balance'],
  };
}

describe('an answer whose connection to the database is lost while it is committed', () => {
  for (const [title, isCommitted] of [
    ['is returned and charged once if it was stored', true],
    ['is stored, returned and charged once if it was not', false],
  ] as const) {
    it(title, async () => {
      const { conversation, send, balance } = await open();
      losses = [{ isCommitted }, { isCommitted }];
      const { status, json } = await send('place_order');
      assert.deepEqual([status, json['message'], losses], [200, 'Done.', []]);
      const history = ['assistant: Hello!', 'user: Boots, please', 'assistant: Done.'];
      assert.deepEqual(await service.history(conversation), history);
      const requests = shop.requests.length;
      assert.deepEqual((await send('place_order')).json, json);
      assert.equal(shop.requests.length, requests);
      assert.deepEqual(await service.history(conversation), history);
      assert.equal(await balance(), 99.99);
    });

    it(`${title}: it also ends the conversation or hands it over once`, async () => {
      for (const tool of ['end_call', 'call_transfer']) {
        const { conversation, send } = await open();
        losses = [{ isCommitted }];
        const { json } = await send(tool);
        assert.deepEqual(
          [json['ended'], json['ai_enabled']],
          tool === 'end_call' ? [true, true] : [undefined, false],
        );
        const history = await service.history(conversation);
        assert.equal(history.filter((entry) => entry.startsWith('system: ')).length, 1, history.join('\n'));
        assert.equal(await endJobs(service, conversation), tool === 'end_call' ? 1 : 0);
      }
    });
  }

  it('fails if it was refunded meanwhile', async () => {
    const { conversation, send, balance } = await open();
    losses = [{ isCommitted: false, meanwhile: () => failAbandonedReplies(running.database, 'any') }];
    const { status, json } = await send('place_order');
    assert.deepEqual(
      [status, json['error']],
      [400, 'Failed to process message: the answer took too long; please send the message again'],
    );
    assert.deepEqual(await service.history(conversation), ['assistant: Hello!']);
    assert.equal(await balance(), 100);
  });
});
