import { expect } from '@open-wc/testing';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService, service } from '../support/browser/service-under-test.ts';
import type { ServiceUnderTest } from '../support/browser/service-under-test.ts';

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function openConversation(target: ServiceUnderTest): Promise<string> {
  const assistant_id = target.assistantThatShows('greeting');
  const answer = (await (await post(`${target.url}/api/conversations`, { assistant_id })).json()) as {
    conversation_id: string;
  };
  return `${target.url}/api/conversations/${answer.conversation_id}/messages`;
}

describe('the services that browser tests talk to', () => {
  it('answer from the knowledge base, or as a test has scripted', async () => {
    for (const each of [service, modelService]) {
      const { question } = await scriptAnswer({ chunks: ['As ', 'scripted.'] });
      const answer = (await (await post(await openConversation(each), { message: question })).json()) as {
        message: string;
      };
      expect(answer.message === 'As scripted.').to.equal(each === modelService);
    }
  });

  it('stream an answer up to the point where the test pauses it', async () => {
    const answer = await scriptAnswer({ chunks: ['One', wait, ', two', wait, '.'] });
    const url = await openConversation(modelService);
    const { body } = await post(url, { message: answer.question }, { Accept: 'text/event-stream' });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let stream = '';
    const readUntil = async (text: string) => {
      while (!stream.includes(text)) stream += (await reader?.read())?.value ?? '';
    };

    await readUntil('One');
    await answer.resume();
    await readUntil(', two');
    expect(stream).not.to.contain('event: done');
    await answer.resume();
    await readUntil('One, two.');
  });

  it('fail only while the test requests it', async () => {
    const answer = await scriptAnswer({ status: 400 });
    const url = await openConversation(modelService);
    expect((await post(url, { message: answer.question })).status).to.equal(400);
    await answer.change({ chunks: ['Better.'] });
    expect((await post(url, { message: answer.question })).status).to.equal(200);
  });
});
