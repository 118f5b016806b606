import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { eq } from 'drizzle-orm';
import { planConversation } from '../../src/service/call/start/plan-call.ts';
import { DatabaseCallStore } from '../../src/service/call/store/database-call-store.ts';
import { WebCallStore } from '../../src/service/call/store/web-call-store.ts';
import { MustEndError } from '../../src/service/call/store/must-end-error.ts';
import { ChangeNotifier } from '../../src/service/conversation/change-notifier.ts';
import { calls, webCallMinutes } from '../../src/service/db/calls-table.ts';
import type { Database } from '../../src/service/db/database.ts';
import { conversations, messages } from '../../src/service/db/schema.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { addCall } from '../support/records/add-records.ts';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';

const service = await startService();
const { database } = service.running;
const { db } = database;

const lost = new Error('Connection terminated unexpectedly');

/** A database that loses the connection after so many transactions: when the next one was committed, or before. */
function loseOnce(isCommitted: boolean, transactions = 0): Database {
  let left = transactions;
  const transaction: Database['db']['transaction'] = async (work) => {
    if (left-- !== 0) return db.transaction(work);
    await db.transaction(async (tx) => {
      await work(tx);
      if (!isCommitted) throw lost;
    });
    throw lost;
  };
  return { ...database, db: Object.assign(Object.create(db) as typeof db, { transaction }) };
}

/** Repeats a change after a lost connection, as a call does. */
const twice = async <Result>(change: () => Promise<Result>) => {
  await assert.rejects(change, { message: lost.message });
  return change();
};

/** A call in progress, with a balance for one minute; in a conversation if it has a type. */
async function startCall(type?: 'widget' | 'test') {
  const {
    id: assistantId,
    uuid,
    userId,
  } = await createAssistant(service, {
    balance: type ? '0.05' : '0.10',
    limits: { webCalls: true },
  });
  const conversation = type && (await service.open(uuid, { type }));
  const [stored] = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.uuid, conversation ?? randomUUID()));
  const owner = randomUUID();
  const id = await addCall(service, {
    ...{ userId, assistantId, type: stored ? 'web' : 'outbound', status: 'in-progress' },
    ...{ conversationId: stored?.id ?? null, leaseOwner: owner, leaseUntil: '2999-01-01' },
  });
  const [call] = await db.select().from(calls).where(eq(calls.id, id));
  const plan = call && (await planConversation(db, call));
  assert.ok(plan);
  const { web, ...rest } = { ...plan, mode: 'pipeline' as const };
  const visitor = { addressBlock: '192.0.2.1', addressNetwork: undefined };
  const createStore = (lossy: Database) => {
    const dependencies = { database: lossy, jobs: new StoredJobs(database) };
    if (!web) return new DatabaseCallStore(dependencies, rest, owner);
    const limits = { perAssistant: 9, visitorMinutes: 9, ownerMinutes: 9, testMinutes: 9 };
    const side = { visitor, disconnect: () => undefined, finishRecording: () => Promise.resolve() };
    return new WebCallStore(
      { ...dependencies, webCallLimits: limits, notifier: new ChangeNotifier() },
      { ...rest, web },
      { owner, side },
    );
  };
  return { userId, conversationId: stored?.id, createStore };
}

describe('a minute of a call', () => {
  for (const [title, type] of [
    ['by phone', undefined],
    ['in the browser', 'widget'],
  ] as const)
    for (const isCommitted of [true, false])
      it(`${title} is charged once if the connection is lost ${isCommitted ? 'after' : 'before'} the commit`, async () => {
        const { userId, createStore } = await startCall(type);
        const store = createStore(loseOnce(isCommitted));
        await twice(() => store.chargeMinute(1));
        assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
        await assert.rejects(store.chargeMinute(2), new MustEndError('balance'));
      });

  for (const isCommitted of [true, false])
    it(`of a test is counted once if the connection is lost ${isCommitted ? 'after' : 'before'} the commit`, async () => {
      const { userId, createStore } = await startCall('test');
      const store = createStore(loseOnce(isCommitted));
      await twice(() => store.chargeMinute(1));
      const read = async () => {
        const rows = await db.select().from(webCallMinutes).where(eq(webCallMinutes.userId, userId));
        return rows.map(({ minutes }) => minutes);
      };
      assert.deepEqual(await read(), [1, 1]);
      await store.chargeMinute(2);
      assert.deepEqual(await read(), [2, 2]);
    });
});

describe('a message of a web call', () => {
  for (const isCommitted of [true, false])
    it(`answers what was said if the connection is lost ${isCommitted ? 'after' : 'before'} the commit`, async () => {
      const { conversationId, createStore } = await startCall('widget');
      const spoken = [
        { role: 'user', content: 'Are you open?', at: 1, seconds: 1 },
        { role: 'assistant', content: 'Yes, until six.', at: 2, seconds: 1 },
        { role: 'assistant', content: 'Are you still there?', at: 9, seconds: 1 },
      ] as const;
      // Each message is repeated by one of the stores.
      for (let repeated = 0; repeated < spoken.length; repeated++) {
        await db.delete(messages).where(eq(messages.conversationId, conversationId ?? 0));
        await db
          .update(calls)
          .set({ messages: [] })
          .where(eq(calls.conversationId, conversationId ?? 0));
        const store = createStore(loseOnce(isCommitted, repeated));
        for (let count = 1; count <= spoken.length; count++) {
          const save = () => store.saveMessages(spoken.slice(0, count));
          await (count === repeated + 1 ? twice(save) : save());
        }
        const stored = await db
          .select()
          .from(messages)
          .where(eq(messages.conversationId, conversationId ?? 0))
          .orderBy(messages.id);
        assert.deepEqual(
          stored.map(({ content, inReplyTo }) => [content, inReplyTo]),
          [
            ['Are you open?', null],
            ['Yes, until six.', stored[0]?.id],
            ['Are you still there?', null],
          ],
        );
      }
    });
});
