import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { eventually } from '../../support/eventually.ts';
import { assistantBody, readAssistant } from '../../support/records/assistant-body.ts';
import { Owner } from '../../support/records/owner.ts';
import { startPhoneService } from '../../support/calls/phone-service.ts';
import { said, visit } from '../../support/calls/web-visitor.ts';
import { callTo } from '../../support/records/simulated-numbers.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import { startSilentProxy } from '../../support/servers/silent-proxy.ts';
import type { ServiceClient } from '../../support/service/service-client.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import type { Environment } from '../../support/service/service.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../../support/service/service.ts';
import { twilioSettings, FakeTwilio } from '../../support/twilio/fake-twilio.ts';

/** The call, the reply, and the balance of their owner, in the record and in the ledger. */
interface Found {
  status: string;
  reason: string;
  transcript: string;
  reply: string;
  money: string[];
}

/*
 * Two processes, of which the first has a call and writes a reply when the database stops responding to both for longer
 * than a lease. Each has a connection of its own, so that the second one can reach the database first.
 */
describe('an outage of the database', { skip: testDatabase === 'pglite' && 'one process' }, () => {
  /** Starts the first process, with a call of an assistant, and a reply whose end waits for `gate`. */
  async function startWork(phoneNumber: string, carrier: Environment = {}) {
    const model = await startModelServer();
    atEnd(() => model.close());
    const gate = Promise.withResolvers<string>();
    const env: Environment = {
      ...(await newDatabase()),
      // Longer than a busy machine may stop a process that is alive.
      ...{ REPLY_LEASE_SECONDS: '10', JOB_POLL_SECONDS: '0.5' },
      ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'test', ...carrier },
    };
    const { DATABASE_URL: url = '' } = env;
    const setup = await startService(env);
    const created = await Owner.create(setup, '10');
    const body = assistantBody({ initial_message: 'Hello, this is Kim.', post_call_evaluation: false });
    const assistant = await created.create('assistant', body);
    const uuid = String((await readAssistant(created, assistant.id))['uuid']);
    await setup.running.close();
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    atEnd(() => pool.end());
    const proxy = await startSilentProxy(url);
    atEnd(() => proxy.close());
    const first = await startServiceProcess({ ...env, DATABASE_URL: proxy.url });

    model.behave({ chunks: ['We open ', gate.promise] });
    const ownerAt = (process: ServiceClient) =>
      created.at(Object.assign(process, { running: setup.running }));
    const conversation = await first.open(uuid);
    const stream = await first.stream(conversation, 'When do you open?');
    await stream.until((events) => events.length > 0);
    const { json } = await ownerAt(first).post('make_call', {
      phone_number: phoneNumber,
      assistant_id: assistant.id,
    });
    const id = Number(json['call_id']);

    /** Waits until the leases of the call and of the reply have expired. */
    const expired = () =>
      eventually('the leases to expire', async () => {
        const { rows } = await pool.query(
          `SELECT 1 FROM calls, messages WHERE calls.lease_until < now() AND reply_lease_until < now()`,
        );
        return rows.length > 0;
      });
    /** Returns a function that waits for a round of housekeeping, which deletes an expired key at its end. */
    const housekeeping = async () => {
      await pool.query(
        `INSERT INTO idempotency_keys (scope, key_hash, request_hash, expires_at) VALUES ('test', '', '', now())`,
      );
      return () =>
        eventually('housekeeping', async () => {
          const { rows } = await pool.query('SELECT 1 FROM idempotency_keys WHERE expires_at <= now()');
          return rows.length === 0;
        });
    };
    const read = async () => {
      const { rows } = await pool.query<Found>(
        `SELECT calls.status, end_reason AS reason, transcript, reply_state AS reply, ARRAY[balance,
           (SELECT sum(amount) FROM ledger_entries WHERE user_id = users.id)]::float[]::text[] AS money
         FROM calls JOIN users ON users.id = user_id, messages WHERE calls.id = $1 AND role = 'user'`,
        [id],
      );
      return rows[0];
    };
    return { ...{ env, proxy, first, model, gate, conversation, stream }, expired, housekeeping, read };
  }

  for (const [title, isRunning] of [
    ['runs meanwhile', true],
    ['starts after it', false],
  ] as const) {
    it(`ends no call and no reply of a process that is alive, if another one ${title}`, async () => {
      const twilio = await FakeTwilio.start();
      atEnd(() => twilio.close());
      const own = '+493012345678';
      twilio.own(own);
      const to = '+493087654321';
      const { env, proxy, first, model, gate, stream, conversation, expired, housekeeping, read } =
        await startWork(to, { ...twilioSettings(twilio), TWILIO_PHONE_NUMBER: own });
      twilio.reach(first.url);
      const other = await startSilentProxy(env.DATABASE_URL ?? '');
      atEnd(() => other.close());
      const second = { ...env, DATABASE_URL: other.url, WORKERS: 'off' };
      const running = isRunning ? await startServiceProcess(second) : undefined;
      const call = await twilio.call(to);
      await call.ring();
      await call.answer();
      const relay = await call.connected();
      await relay.hears('Hello, this is Kim.');
      await eventually('the greeting to be stored', async () => (await read())?.transcript.includes('Kim'));

      proxy.fallSilent(false);
      other.fallSilent(false);
      await expired();
      other.restart();
      await eventually('the database', async () => (await running?.get('/readyz'))?.status !== 503);
      const isRoundOver = await housekeeping();
      if (!running) await startServiceProcess(second);
      await isRoundOver();
      proxy.restart();
      gate.resolve('at nine.');
      const { data } = (await stream.all()).at(-1) ?? {};
      assert.equal(data?.['message'], 'We open at nine.', JSON.stringify(data));
      model.behave({ chunks: ['Until six.'] });
      relay.say('Until when?');
      await relay.hears('Until six.');
      await call.hangUp();
      await eventually('the end of the call', async () => (await read())?.status === 'completed');
      assert.deepEqual(await read(), {
        ...{ status: 'completed', reason: 'hung-up', reply: 'answered' },
        transcript: 'AI: Hello, this is Kim.\nCustomer: Until when?\nAI: Until six.',
        // A minute of the call, and a message.
        money: ['9.89', '9.89'],
      });
      assert.deepEqual(await first.history(conversation), [
        'assistant: Hello, this is Kim.',
        'user: When do you open?',
        'assistant: We open at nine.',
      ]);
    });
  }

  it('does not keep the call and the reply of a process that died during it', async () => {
    const { env, proxy, first, stream, expired, read } = await startWork(callTo.silent, {
      CARRIER_SECONDS: '1',
    });
    await eventually('the greeting to be stored', async () => (await read())?.transcript.includes('Kim'));
    const other = await startSilentProxy(env.DATABASE_URL ?? '');
    atEnd(() => other.close());
    await startServiceProcess({ ...env, DATABASE_URL: other.url, WORKERS: 'off' });
    proxy.fallSilent(false);
    other.fallSilent(false);
    first.signal('SIGKILL');
    await first.child.ended;
    await assert.rejects(stream.all());
    await expired();
    other.restart();
    await eventually('the end of both', async () => {
      const found = await read();
      return found?.status === 'failed' && found.reply === 'failed';
    });
    const { transcript, ...found } = (await read()) ?? {};
    assert.match(transcript ?? '', /Kim/);
    assert.deepEqual(found, {
      ...{ status: 'failed', reason: 'service-stopped', reply: 'failed' },
      money: ['10', '10'],
    });
  });
});

/*
 * In this process, so that the test controls the browser and the carrier. The database refuses connections for longer than
 * a lease.
 */
describe(
  'a call that ends during an outage of the database',
  {
    skip: testDatabase === 'pglite' && 'one process',
  },
  () => {
    const endOfCall = 'UPDATE ON calls FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL)';
    const endOfTransfer = 'UPDATE ON calls FOR EACH ROW WHEN (NEW.is_transfer_answered)';
    const partOfRecording = 'INSERT ON recording_chunks FOR EACH ROW';

    async function openProxy() {
      const database = await newDatabase();
      const { DATABASE_URL: url = '' } = database;
      const pool = new pg.Pool({ connectionString: url, max: 2 });
      const proxy = await startSilentProxy(url);
      atEnd(async () => {
        await pool.end();
        await proxy.close();
      });
      const until = (query: string) =>
        eventually(query, async () => (await pool.query(query)).rows.length > 0);
      /** Changes of the database wait for the test. */
      const hold = async (changes: string) => {
        await pool.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`);
        await pool.query(`CREATE TRIGGER held BEFORE ${changes} EXECUTE FUNCTION wait()`);
        const holder = new pg.Client(url);
        atEnd(() => holder.end());
        await holder.connect();
        await holder.query('SELECT pg_advisory_lock(1)');
        const waiting = `FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return {
          isWaiting: () => until(`SELECT 1 ${waiting}`),
          /** Ends the waiting statements, which could otherwise complete without their client. */
          release: async () => {
            await pool.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
            await holder.end();
          },
        };
      };
      return {
        proxy,
        until,
        hold,
        /** Ends an outage that has been longer than a lease. */
        endOutage: async () => {
          await until("SELECT 1 FROM heartbeat WHERE last_at < now() - interval '4 seconds'");
          proxy.restart();
        },
        env: { ...database, DATABASE_URL: proxy.url, REPLY_LEASE_SECONDS: '4' },
      };
    }

    /** Connects a call whose assistant transfers the customer. */
    async function transferred(service: Awaited<ReturnType<typeof startPhoneService>>) {
      const connected = await service.connect({
        tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: '+4930123456' }],
      });
      await connected.line.hears();
      service.model.behave({ calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['One moment.'] });
      connected.line.says('A person, please.');
      await connected.left;
      await connected.over;
      return connected;
    }

    it('is charged, and has the status of its end', async () => {
      const { proxy, until, hold, env } = await openProxy();
      const visitor = await visit({ env });
      await visitor.call();
      const { browser } = visitor.voice;
      await said(browser, 1);
      browser.say('What are your opening hours?');
      await said(browser, 2);
      const end = await hold(endOfCall);
      const hungUp = visitor.hangUp();
      await end.isWaiting();
      proxy.refuse();
      // The visitor's request fails during the outage.
      await Promise.allSettled([hungUp]);
      await until('SELECT 1 FROM calls WHERE lease_until < now()');
      await end.release();
      proxy.restart();
      await until('SELECT 1 FROM calls WHERE ended_at IS NOT NULL');
      const [call] = await visitor.calls();
      assert.deepEqual(
        [call?.['status'], call?.['end_reason'], call?.['total_cost']],
        ['completed', 'hung-up', 0.05],
      );
      assert.deepEqual(await visitor.money(), { balance: 0.95, ledger: 0.95 });
    });

    it('has its whole recording', async () => {
      const { proxy, until, hold, endOutage, env } = await openProxy();
      const visitor = await visit({ env, limits: { record: true } });
      await visitor.call();
      await said(visitor.voice.browser, 1);
      const part = await hold(partOfRecording);
      // The visitor's request fails during the outage.
      const hungUp = Promise.allSettled([visitor.hangUp()]);
      await part.isWaiting();
      proxy.refuse();
      await part.release();
      await hungUp;
      await endOutage();
      await until(`SELECT 1 FROM calls JOIN recording_chunks ON call_id = calls.id
        WHERE ended_at IS NOT NULL AND recording_token IS NOT NULL`);
    });

    it('has its recording until the visitor lost the connection', async () => {
      const { proxy, until, endOutage, env } = await openProxy();
      const visitor = await visit({ env, limits: { record: true } });
      await visitor.call();
      await said(visitor.voice.browser, 1);
      proxy.refuse();
      visitor.voice.browser.lose();
      await endOutage();
      await until(
        'SELECT 1 FROM calls JOIN recording_chunks ON call_id = calls.id WHERE lease_owner IS NULL',
      );
    });

    it('is completed if the other phone of its transfer hangs up', async () => {
      const { proxy, hold, endOutage, env } = await openProxy();
      const service = await startPhoneService(env);
      const { call, id } = await transferred(service);
      const end = await hold(endOfTransfer);
      const next = call.disconnect('transferred');
      await end.isWaiting();
      proxy.refuse();
      await end.release();
      await endOutage();
      assert.deepEqual(await next, { type: 'hang-up' });
      await call.report({ type: 'ended', seconds: 42 });
      const record = await service.ended(id);
      assert.deepEqual([record['status'], record['end_reason']], ['completed', 'transfer']);
    });

    it('has failed, and is refunded, if its connection was lost too often', async () => {
      const { proxy, hold, endOutage, env } = await openProxy();
      const service = await startPhoneService(env);
      const { call, line, over, id } = await service.connect();
      await line.hears();
      line.lose();
      await over;
      await call.disconnect('lost');
      await call.disconnect('lost');
      const end = await hold(endOfCall);
      const next = call.disconnect('lost');
      await end.isWaiting();
      proxy.refuse();
      await end.release();
      await endOutage();
      assert.deepEqual(await next, { type: 'hang-up' });
      const record = await service.ended(id);
      assert.deepEqual(
        [record['status'], record['end_reason'], record['total_cost']],
        ['failed', 'no-connection', 0],
      );
    });

    it('ends if the carrier reports its end during the outage', async () => {
      const { proxy, endOutage, env } = await openProxy();
      const service = await startPhoneService(env);
      const { call, id } = await transferred(service);
      await call.report({ type: 'transfer-answered' });
      proxy.refuse();
      const reported = call.report({ type: 'ended', seconds: 42 });
      await endOutage();
      await reported;
      const record = await service.ended(id);
      assert.deepEqual(
        [record['status'], record['end_reason'], record['duration']],
        ['completed', 'transfer', 42],
      );
    });
  },
);
