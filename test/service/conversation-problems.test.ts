import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListedConversation } from '../../src/contract/conversation.ts';
import { Owner } from '../support/records/owner.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { Behavior } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const settings = { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-secret', LLM_MODEL: 'm-1' };
const service = await startService(settings);
const impatient = await startService({ ...settings, REPLY_TIMEOUT_SECONDS: '2' });

async function openChat(systemPrompt = 'Be kind.') {
  const owner = await Owner.create(service, '1');
  const assistant = await createAssistant(service, { userId: owner.id, systemPrompt });
  return { owner, uuid: assistant.uuid };
}

/** The problems that an owner sees in the latest conversation. */
async function problems(owner: Owner) {
  const { json } = await owner.get('conversations');
  return (json['data'] as ListedConversation[])[0]?.problems;
}

/** Everything that a visitor can read. */
async function visibleText(conversation: string): Promise<string> {
  const answers = [await service.get(`/api/conversations/${conversation}`)];
  return answers.map(({ text }) => text).join('');
}

describe('the conversation of an owner', () => {
  const failures: [title: string, behavior: Behavior, reason: string][] = [
    ['the key is refused', { status: 401 }, 'the model refuses the API key (401)'],
    ['the model is unknown', { status: 404 }, 'the endpoint does not know the model (404)'],
    ['the request is refused', { status: 400 }, 'the model refuses the request (400)'],
    ['the model is over its rate limit', { status: 429 }, 'rate limited by the language model (429)'],
    ['the answer takes too long', { hang: true }, 'the time limit of 2 seconds was exceeded'],
    ['the answer breaks off', { ending: 'cut' }, 'the language model failed to answer'],
    ['there is no answer', { chunks: [] }, 'the language model returned an empty answer'],
  ];
  for (const [title, behavior, reason] of failures) {
    it(`contains the reason of a failed reply if ${title}, which visitors do not see`, async () => {
      const { owner, uuid } = await openChat();
      const conversation = await service.open(uuid);
      model.behave(behavior);
      const { status, text } = await ('hang' in behavior ? impatient : service).send(conversation, 'Hello');
      assert.equal(status, 400);
      const found = await problems(owner);
      assert.deepEqual(
        found?.map(({ kind, message }) => [kind, message]),
        [['reply-failed', 'Hello']],
      );
      assert.equal(found[0]?.reason, reason);
      assert.doesNotMatch(text + (await visibleText(conversation)), /\d{3}|API key|sk-secret|problems/);
    });
  }

  it('contains the time limit of the wait if an earlier reply is not finished in time', async (context) => {
    const { owner, uuid } = await openChat();
    const conversation = await service.open(uuid);
    const rest = Promise.withResolvers<string>();
    model.behave({ chunks: ['One ', rest.promise] });
    const earlier = await service.stream(conversation, 'First');
    await earlier.until((events) => events.length > 0);
    const { setTimeout } = globalThis;
    context.mock.method(globalThis, 'setTimeout', (callback: () => void, milliseconds: number) =>
      setTimeout(callback, milliseconds === 300_000 ? 0 : milliseconds),
    );
    const { status } = await service.send(conversation, 'Second');
    context.mock.restoreAll();
    rest.resolve('two');
    await earlier.all();
    model.behave({});
    assert.equal(status, 400);
    assert.deepEqual(
      (await problems(owner))?.map(({ message, reason }) => [message, reason]),
      [['Second', 'the earlier replies of the conversation took longer than 300 seconds']],
    );
  });

  it('names the data that did not fit into a prompt, which visitors do not see', async () => {
    model.behave({});
    const { owner, uuid } = await openChat('Quote {{a}}, {{b}}, {{c}}, {{d}} and {{e}}.');
    const long = 'ж'.repeat(1990);
    const variables = { a: long, b: long, c: long, d: long, e: long };
    const conversation = await service.open(uuid, { variables });
    const tool_results = [{ name: 'look_up', arguments: {}, result: long }];
    assert.equal((await service.send(conversation, 'Hi', {}, { tool_results })).status, 200);
    const found = await problems(owner);
    assert.deepEqual(
      found?.map(({ kind, reason }) => [kind, reason]),
      [['left-out', 'more than 16 KiB from the page: variable e, result of look_up']],
    );
    assert.doesNotMatch(await visibleText(conversation), /16 KiB|look_up/);
  });

  it('has no such field without a problem, and the latest ten with more', async () => {
    model.behave({});
    const { owner, uuid } = await openChat();
    const conversation = await service.open(uuid);
    await service.send(conversation, 'Hello');
    assert.equal(await problems(owner), undefined);
    model.behave({ status: 400 });
    for (let index = 1; index <= 12; index++) await service.send(conversation, `Message ${index}`);
    const sent = (await problems(owner))?.map(({ message }) => message);
    assert.deepEqual(
      sent,
      Array.from({ length: 10 }, (_, index) => `Message ${12 - index}`),
    );
  });
});
