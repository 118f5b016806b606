import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../src/client/chat-client.ts';
import { repository } from '../support/repository.ts';
import { createAssistant, readMoney, startService, atEnd } from '../support/service/service.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { freePort } from '../support/process/free-port.ts';
import { reportFigures } from './figures.ts';
import { Random, seed } from '../support/random.ts';

const kills = 50;

/** A message that was answered before a kill. */
interface Acknowledged {
  conversation: string;
  text: string;
  answer: string;
}

test('the embedded database keeps every acknowledged write when its process is killed 50 times', async () => {
  const random = new Random(seed);
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  // Most of the time goes into starting the service.
  const NODE_COMPILE_CACHE = join(repository, 'node_modules/.cache/compiled');
  const env = { DATA_DIR: folder, PORT: port, FSYNC: 'on', NODE_COMPILE_CACHE };
  const setup = await startService(env);
  const { uuid, userId } = await createAssistant(setup, {
    balance: '1000',
    limits: { maxVisitorMessagesPerDay: 1_000_000, maxMessagesPerDay: 1_000_000 },
  });
  await setup.running.close();

  const acknowledged: Acknowledged[] = [];
  let interrupted = 0;
  let running = new AbortController();
  const isDown = () => running.signal.aborted;
  const baseUrl = `http://127.0.0.1:${port}`;
  /** Opens conversations and writes in them until the process is killed. */
  const write = async (writer: number) => {
    const client = new ChatClient({ baseUrl });
    try {
      while (!isDown()) {
        const opened = await client.openConversation({ assistant_id: uuid }, {});
        const conversation = opened.conversation_id;
        for (let message = 0; message < 5 && !isDown(); message++) {
          const text = randomUUID();
          const options = { idempotencyKey: randomUUID() };
          const answer =
            writer % 2 === 0
              ? await client.sendMessage(conversation, text, options)
              : await client.streamMessage(conversation, text, {}, options);
          acknowledged.push({ conversation, text, answer: answer.message });
        }
      }
    } catch (error) {
      // Requests fail if the process dies, but not before.
      if (!isDown()) throw error;
      interrupted++;
    }
  };

  for (let kill = 0; kill < kills; kill++) {
    const service = await startServiceProcess(env);
    running = new AbortController();
    const before = acknowledged.length;
    const writers = [0, 1, 2, 3].map(write);
    while (acknowledged.length === before) await Promise.race([delay(5), ...writers]);
    await delay(random.integer(0, 150));
    running.abort();
    service.signal('SIGKILL');
    await service.child.ended;
    await Promise.all(writers);
  }

  const service = await startService(env);
  const { rows } = await service.running.database.pool.query<{
    conversation: string;
    text: string;
    answer: string;
  }>(
    `SELECT conversations.uuid AS conversation, messages.content AS text, reply.content AS answer
     FROM messages JOIN conversations ON conversations.id = messages.conversation_id
     JOIN messages AS reply ON reply.in_reply_to = messages.id`,
  );
  const stored = Map.groupBy(rows, ({ text }) => text);
  const isSame = (a: Acknowledged, b: Acknowledged) =>
    a.conversation === b.conversation && a.text === b.text && a.answer === b.answer;
  const lost = acknowledged.filter(
    (message) => !stored.get(message.text)?.some((row) => isSame(row, message)),
  );
  const doubled = [...stored.values()].filter(({ length }) => length > 1);
  const { rows: pending } = await service.running.database.pool.query(
    "SELECT id FROM messages WHERE role = 'user' AND reply_state NOT IN ('answered', 'failed')",
  );
  const { balance, ledger } = await readMoney(service, userId);
  reportFigures('The embedded database', {
    'Faults: kills': kills,
    'Requests interrupted by a kill': interrupted,
    'Acknowledged messages': acknowledged.length,
    'Acknowledged messages lost': lost.length,
    'Messages doubled': doubled.length,
    'Difference of ledger and balance, USD': Math.abs(balance - ledger),
  });
  assert.ok(interrupted >= kills, `only ${interrupted} requests were interrupted`);
  assert.deepEqual({ lost, doubled, pending }, { lost: [], doubled: [], pending: [] });
  assert.equal(balance, ledger);
});
