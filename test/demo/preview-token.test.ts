import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { assistantThatShows, startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';

let demo: DemoProcess;
before(async () => {
  demo = await startDemo();
});
after(() => demo.stop());

const request = async (uuid: string) => fetch(`${demo.url}/preview-token/${uuid}`, { method: 'POST' });

describe("the demo's preview", () => {
  it('gets a preview token for an assistant of the demo, and for no other', async () => {
    const uuid = assistantThatShows('settings', demo);
    const { token } = (await (await request(uuid)).json()) as { token: string };
    const opened = await fetch(`${demo.url}/api/conversations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ assistant_id: uuid, type: 'test', user_token: token }),
    });
    assert.equal(opened.status, 200);
    for (const unknown of [randomUUID(), 'x', '%00']) assert.equal((await request(unknown)).status, 404);
  });
});
