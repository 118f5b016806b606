import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventStream } from '../../support/service/service-client.ts';
import { createAssistant, newDatabase, startService, testDatabase } from '../../support/service/service.ts';

// An embedded database opens as many, but takes minutes for it.
const skip = testDatabase === 'pglite';

test(
  'opens 2,000 event streams, and sends an answer only to those of its conversation',
  { skip },
  async () => {
    const service = await startService({ ...(await newDatabase()), RATE_LIMIT: '100000', TRUST_PROXY: '1' });
    const { uuid } = await createAssistant(service);
    const conversations: string[] = [];
    const streams: EventStream[] = [];
    for (let index = 0; index < 250; index++) {
      const conversation = await service.open(uuid);
      conversations.push(conversation);
      // As many as a conversation may have, and fewer than an address may have.
      const headers = { 'X-Forwarded-For': `192.0.2.${index % 25}` };
      const opened = Array.from({ length: 8 }, () => service.watch(conversation, '', headers));
      streams.push(...(await Promise.all(opened)));
    }
    assert.equal(streams.filter(({ response }) => response.status === 200).length, 2000);
    await Promise.all(streams.map((stream) => stream.until((events) => events.length > 0)));
    await service.send(conversations[0] ?? '', 'Hello');
    const isAnswered = ({ data }: { data: Record<string, unknown> }) => data['role'] === 'assistant';
    await Promise.all(streams.slice(0, 8).map((stream) => stream.until((events) => events.some(isAnswered))));
    await service.send(conversations[249] ?? '', 'Hello');
    for (const stream of streams.slice(-8)) {
      const events = await stream.until((received) => received.some(isAnswered));
      assert.equal(events.filter(isAnswered).length, 1);
    }
    for (const stream of streams) stream.disconnect();
  },
);
