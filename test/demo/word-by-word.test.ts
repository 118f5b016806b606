import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faults } from '../../demo/faults.ts';
import { eventually } from '../support/eventually.ts';

const app = faults(new AbortController().signal);

async function open(): Promise<string> {
  const response = await app.request('/word-by-word/api/conversations', { method: 'POST' });
  return ((await response.json()) as { conversation_id: string }).conversation_id;
}

function send(uuid: string, signal?: AbortSignal): Response | Promise<Response> {
  return app.request(`/word-by-word/api/conversations/${uuid}/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ message: 'Which widths are there?' }),
    ...(signal && { signal }),
  });
}

async function readHistory(uuid: string): Promise<{ role: string; content: string }[]> {
  const response = await app.request(`/word-by-word/api/conversations/${uuid}`);
  const { history } = (await response.json()) as { history: { role: string; content: string }[] };
  return history;
}

describe('word-by-word, a slow service', () => {
  it('streams an answer in many chunks, and stores it in the history', async () => {
    const uuid = await open();
    const text = await (await send(uuid)).text();
    assert.ok((text.match(/^event: delta$/gm) ?? []).length > 20);
    assert.match(text, /event: done\ndata: .*That is all there is to say\./);
    const roles = (await readHistory(uuid)).map(({ role }) => role);
    assert.deepEqual(roles, ['assistant', 'user', 'assistant']);
  });

  it('stores the whole answer even if the client disconnects', async () => {
    const uuid = await open();
    const { body } = await send(uuid);
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const [, , answer] = await eventually('the answer to be stored', async () => {
      const history = await readHistory(uuid);
      return history.length === 3 && history;
    });
    assert.match(
      answer?.content ?? '',
      /^The \*\*Kammweg Mid\*\* comes in [^]* That is all there is to say\.$/,
    );
  });
});
