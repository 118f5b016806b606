import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { faults } from '../../demo/faults.ts';
import { longHistory } from '../../demo/faults/long-history.ts';
import { Conversation, OpenedConversation } from '../../src/contract/chat-endpoints.ts';
import { AnsweredMessage } from '../../src/contract/messaging-endpoints.ts';

const app = faults(new AbortController().signal);
const site = 'http://shop.example';

async function ask(path: string, body?: object): Promise<unknown> {
  const post = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await app.request(`${site}/${path}`, body && post);
  assert.equal(response.status, 200, path);
  return response.json();
}

async function open(kind: string): Promise<string> {
  const opened = await ask(`${kind}/api/conversations`, { assistant_id: 'any' });
  return `${kind}/api/conversations/${OpenedConversation.parse(opened).conversation_id}`;
}

const send = async (conversation: string, message: string) =>
  AnsweredMessage.parse(await ask(`${conversation}/messages`, { message }));

describe('images, a service that answers with images', () => {
  it('has one image at its own origin and one elsewhere', async () => {
    const { message } = await send(await open('images'), 'Where?');
    assert.ok(message.includes(`](${site}/art/shop.svg)`));
    assert.match(message, /!\[.+\]\(https:\/\/elsewhere\.example\//);
  });

  it('has a standalone image with a size', async () => {
    const image = await readFile(new URL('../../demo/site/art/shop.svg', import.meta.url), 'utf8');
    assert.match(image, /^<svg [^>]*width="\d+" height="\d+"/);
    assert.doesNotMatch(image, /<symbol|<defs|var\(/);
    assert.match(image, /<path fill="#[\da-f]{6}" d="/);
  });
});

describe('long-history, a service with a conversation over several weeks', () => {
  it('returns its end with new messages, and earlier ones by cursor', async () => {
    const conversation = await open('long-history');
    await send(conversation, 'And now?');
    const latest = Conversation.parse(await ask(conversation));
    assert.equal(latest.history.length, longHistory.atOnce + 2);
    assert.equal(latest.history.at(-2)?.content, 'And now?');
    let { earlier_cursor: cursor, history } = latest;
    while (cursor !== undefined) {
      const page = Conversation.parse(await ask(`${conversation}?before=${cursor}`));
      history = [...page.history, ...history];
      cursor = page.earlier_cursor;
    }
    assert.equal(history.length, longHistory.lines + 2);
    assert.match(history[0]?.content ?? '', /\(1 of 1200\)$/);
  });
});
