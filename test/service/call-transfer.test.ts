import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { callTo } from '../support/records/simulated-numbers.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';
import { startSilentProxy } from '../support/servers/silent-proxy.ts';
import { atEnd, newDatabase, testDatabase } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const { model, owner, pool, carrier, connect, ended, lines } = await startPhoneService({
  // Transfers whose process has died are found three times per lease.
  REPLY_LEASE_SECONDS: '10',
});

const desk = '+4930123456';
const transfer = { tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: desk }] };
const transferring = { calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['One moment.'] };

/** Starts a call in which the assistant transfers the customer. */
async function connectAndLeave(fields: Record<string, unknown> = {}) {
  model.behave(transferring);
  const started = await connect({ ...transfer, ...fields });
  await started.line.hears();
  started.line.says('A person, please.');
  return { ...started, next: await started.left };
}

/** The charged minutes of a call. */
async function chargedMinutes(id: number) {
  const { rows } = await pool.query<{ minute: number }>(
    'SELECT call_minute AS minute FROM ledger_entries WHERE call_id = $1 ORDER BY call_minute',
    [id],
  );
  return rows.map(({ minute }) => minute);
}

/** The webhook after a call. */
const webhookOf = (id: number) =>
  eventually('the webhook', async () => {
    const { rows } = await pool.query<{ payload: string }>(
      `SELECT payload FROM webhook_deliveries WHERE call_id = $1 AND event = 'call-ended'`,
      [id],
    );
    return rows[0] && (JSON.parse(rows[0].payload) as Record<string, unknown>);
  });

describe('a transferred call', () => {
  it('leaves the assistant after its last sentence, with the customer’s number as caller ID', async () => {
    const { line, next } = await connectAndLeave({ max_duration: 300 });
    assert.deepEqual(line.actions, ['say Hello!', 'say One moment.', 'leave']);
    assert.ok(next.type === 'transfer');
    assert.deepEqual([next.to, next.callerId], [desk, callTo.person]);
    assert.ok(next.maxDuration <= 300);
  });

  it(
    'leaves the assistant even if the answer of the database is lost',
    { skip: testDatabase === 'pglite' },
    async () => {
      const { DATABASE_URL: url = '' } = await newDatabase();
      const proxy = await startSilentProxy(url);
      const direct = new pg.Pool({ connectionString: url, max: 2 });
      atEnd(async () => {
        await direct.end();
        await proxy.close();
      });
      const service = await startPhoneService({ DATABASE_URL: proxy.url });
      // The release of the call waits for the test.
      await direct.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`);
      await direct.query(`CREATE TRIGGER release BEFORE UPDATE ON calls FOR EACH ROW
      WHEN (OLD.transfer_to IS NULL AND NEW.transfer_to IS NOT NULL) EXECUTE FUNCTION wait()`);
      const holder = new pg.Client(url);
      atEnd(() => holder.end());
      await holder.connect();
      await holder.query('SELECT pg_advisory_lock(1)');
      service.model.behave(transferring);
      const { line, left, over, id } = await service.connect(transfer);
      await line.hears();
      line.says('A person, please.');
      const returnsRow = (query: string, values: number[] = []) =>
        eventually(query, async () => (await direct.query(query, values)).rows.length > 0);
      await returnsRow(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
      proxy.loseAnswers();
      await holder.end();
      await returnsRow('SELECT 1 FROM calls WHERE id = $1 AND lease_owner IS NULL', [id]);
      proxy.restart();
      await over;
      assert.deepEqual(line.actions, ['say Hello!', 'say One moment.', 'leave']);
      assert.equal((await left).type, 'transfer');
    },
  );

  it('is completed when the transfer has ended', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    assert.deepEqual(await call.disconnect('transferred'), { type: 'hang-up' });
    await call.report({ type: 'ended', seconds: 42 });
    const record = await ended(id);
    assert.deepEqual(
      [record['status'], record['end_reason'], record['total_cost']],
      ['completed', 'transfer', 0.1],
    );
  });

  it('is completed after a minute if the carrier does not report its end', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    await call.disconnect('transferred');
    const { rows } = await pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS seconds FROM calls WHERE id = $1',
      [id],
    );
    const { seconds = 0 } = rows[0] ?? {};
    assert.ok(seconds > 0 && seconds <= 60, String(seconds));
    await pool.query(`UPDATE calls SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['completed', 'transfer']);
  });

  for (const first of ['other phone', 'customer'] as const) {
    it(`sends a webhook with its duration and recording if the ${first} hangs up first`, async () => {
      const { call, over, id } = await connectAndLeave({
        record: true,
        is_webhook_active: true,
        webhook_url: 'https://shop.example/hook',
      });
      await over;
      await call.report({ type: 'transfer-answered' });
      if (first === 'other phone') await call.disconnect('transferred');
      await call.report({ type: 'ended', seconds: 300 });
      const body = await webhookOf(id);
      const record = await ended(id);
      assert.match(String(record['recording_url']), /\/api\/recordings\//);
      assert.deepEqual(
        [body['duration'], body['recording_url'], record['duration']],
        [300, record['recording_url'], 300],
      );
    });
  }

  it('is completed if the end of the call is reported before the end of the transfer', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    await call.report({ type: 'transfer-answered' });
    await call.report({ type: 'ended', seconds: 42 });
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['completed', 'transfer']);
    assert.deepEqual(await call.disconnect('transferred'), { type: 'hang-up' });
  });

  it('is charged once for the minutes of the transfer, in any order of the reports', async () => {
    const first = await connectAndLeave();
    await first.over;
    await first.call.disconnect('transferred');
    const second = await connectAndLeave();
    await second.over;
    for (const { call } of [first, second]) {
      await call.report({ type: 'transfer-answered' });
      await call.report({ type: 'ended', seconds: 130 });
      await call.report({ type: 'ended', seconds: 130 });
    }
    await second.call.disconnect('transferred');
    for (const { id } of [first, second]) {
      const record = await ended(id);
      assert.deepEqual(await chargedMinutes(id), [1, 2, 3]);
      assert.deepEqual(
        [record['status'], record['duration'], record['total_cost'], record['carrier_cost']],
        ['completed', 130, 0.3, 0.15],
      );
    }
  });

  it('is charged as a whole, at the price of its first minutes, although the assistant is changed meanwhile', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    await pool.query(
      `UPDATE assistants SET mode = 'dualplex', max_duration = 60 WHERE id = (SELECT assistant_id FROM calls WHERE id = $1)`,
      [id],
    );
    await call.report({ type: 'transfer-answered' });
    await call.report({ type: 'ended', seconds: 130 });
    assert.equal((await ended(id))['total_cost'], 0.3);
  });

  it('is ended by the customer who hangs up while the other phone rings, and is charged for its minutes', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    await call.report({ type: 'ended', seconds: 70 });
    const record = await ended(id);
    assert.deepEqual(
      [record['status'], record['end_reason'], record['duration'], record['total_cost']],
      ['ended_by_customer', 'hung-up', 70, 0.2],
    );
    assert.deepEqual(await call.disconnect('unanswered'), { type: 'hang-up' });
  });

  it('is ended by the customer who hangs up while a second phone rings, although the first was answered', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    await call.report({ type: 'transfer-answered' });
    model.behave({ chunks: ['Nobody answered.'] });
    await call.disconnect('unanswered');
    const again = call.connect();
    await again.line.hears();
    model.behave(transferring);
    again.line.says('Try again.');
    await again.left;
    await again.over;
    await call.report({ type: 'ended', seconds: 30 });
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['ended_by_customer', 'hung-up']);
  });

  it('returns to the assistant if nobody answers, and the conversation continues', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    model.behave({ chunks: ['Nobody answered.'] });
    const next = await call.disconnect('unanswered');
    assert.equal(next.type, 'connect');
    const again = call.connect();
    assert.equal(await again.line.hears(), 'Nobody answered.');
    const prompt = model.requests.at(-1)?.messages;
    assert.match(prompt?.[0]?.content ?? '', /nobody answered/);
    assert.ok(prompt?.some(({ content }) => content === 'A person, please.'));
    again.line.hangsUp();
    await again.over;
    const record = await ended(id);
    assert.deepEqual(
      (await lines(id)).map(({ content }) => content),
      ['Hello!', 'A person, please.', 'One moment.', 'Nobody answered.'],
    );
    assert.deepEqual([record['total_cost'], await chargedMinutes(id)], [0.1, [1]]);
  });

  it('is still transferred, but only once, if the connection is lost before the transfer', async () => {
    const { call, over } = await connectAndLeave();
    await over;
    assert.equal((await call.disconnect('lost')).type, 'transfer');
    assert.equal((await call.disconnect('unanswered')).type, 'connect');
    assert.equal((await call.disconnect('lost')).type, 'connect');
    await call.report({ type: 'ended', seconds: 9 });
  });

  it('fails if its assistant is deleted while it is transferred, even if the carrier does not report the end', async () => {
    const { call, id } = await connectAndLeave();
    await pool.query(
      'UPDATE assistants SET deleted_at = now() WHERE id = (SELECT assistant_id FROM calls WHERE id = $1)',
      [id],
    );
    assert.deepEqual(await call.disconnect('unanswered'), { type: 'hang-up' });
    const { status, end_reason, total_cost } = await ended(id);
    assert.deepEqual([status, end_reason, total_cost], ['failed', 'no-assistant', 0]);
  });

  it('is transferred again if the customer asks again', async () => {
    const { call, over } = await connectAndLeave();
    await over;
    model.behave({ chunks: ['Nobody answered.'] });
    await call.disconnect('unanswered');
    const again = call.connect();
    await again.line.hears();
    model.behave(transferring);
    again.line.says('Try again.');
    assert.equal((await again.left).type, 'transfer');
    await again.over;
    await call.disconnect('transferred');
  });
});

describe('a transferred call that ends with its process', () => {
  let isConnected: boolean | undefined;
  const hungUp: string[] = [];
  before(() => {
    carrier.hangUpTransfer = (id) => {
      hungUp.push(id);
      if (isConnected === undefined) return Promise.reject(new Error('The carrier cannot be reached.'));
      return Promise.resolve(isConnected);
    };
  });
  after(() => {
    delete carrier.hangUpTransfer;
  });

  /** Transfers a call whose process dies: after 70 seconds in all, and 120 seconds ago. */
  const transferAndDie = async ({ isAnswered = true } = {}) => {
    const { call, over, id } = await connectAndLeave();
    await over;
    if (isAnswered) await call.report({ type: 'transfer-answered' });
    // A disconnection that changes nothing: the process no longer renews the lease.
    await call.disconnect('unanswered');
    await pool.query(
      `UPDATE calls SET answered_at = now() - interval '190 seconds', updated_at = now() - interval '120 seconds',
         lease_until = now() - interval '1 second'
       WHERE id = $1`,
      [id],
    );
    return { call, id };
  };

  it('has a lease that its process keeps', async () => {
    const { call, over, id } = await connectAndLeave();
    await over;
    const { rows } = await pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS seconds FROM calls WHERE id = $1',
      [id],
    );
    assert.ok(Number(rows[0]?.seconds) <= 10, String(rows[0]?.seconds));
    await call.report({ type: 'ended', seconds: 9 });
  });

  for (const [connected, isAnswered, expected] of [
    [true, true, ['completed', 'transfer', 0.4, [1, 2, 3, 4]]],
    [false, true, ['completed', 'transfer', 0.2, [1, 2]]],
    [false, false, ['ended_by_customer', 'hung-up', 0.2, [1, 2]]],
  ] as const) {
    const state = connected ? 'is connected' : 'has hung up';
    it(`is ended and charged if the customer ${state}, and the other phone was ${isAnswered ? '' : 'not '}answered`, async () => {
      isConnected = connected;
      const { call, id } = await transferAndDie({ isAnswered });
      const record = await ended(id);
      assert.deepEqual(
        [record['status'], record['end_reason'], record['total_cost'], await chargedMinutes(id)],
        expected,
      );
      assert.equal(hungUp.filter((one) => one === call.id).length, 1);
    });
  }

  it('has failed if the other phone was ringing, and is refunded', async () => {
    isConnected = true;
    const { id } = await transferAndDie({ isAnswered: false });
    const record = await ended(id);
    assert.deepEqual(
      [record['status'], record['end_reason'], record['total_cost']],
      ['failed', 'service-stopped', 0],
    );
  });

  it('is ended later if its carrier cannot be reached', async () => {
    isConnected = undefined;
    const { call, id } = await transferAndDie();
    await until(() => hungUp.includes(call.id));
    isConnected = true;
    await pool.query(`UPDATE calls SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
    assert.equal((await ended(id))['status'], 'completed');
  });
});

describe('a customer who is about to be transferred', () => {
  const announce = async () => {
    model.behave({ ...transferring, chunks: ['One moment, ', 'I will connect you.'] });
    const started = await connect(transfer);
    await started.line.hears();
    return started;
  };

  it('ends the call by hanging up during the announcement', async () => {
    const { call, line, over, id } = await announce();
    line.interrupts({ after: 'One moment', hangingUp: true });
    line.says('A person, please.');
    await over;
    assert.deepEqual(line.actions, ['say Hello!', 'say One moment']);
    await call.report({ type: 'ended', seconds: 12 });
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['completed', 'hung-up']);
  });

  it('stays with the assistant after interrupting the announcement', async () => {
    const { line, over } = await announce();
    line.interrupts({ after: 'One moment' });
    line.says('A person, please.');
    await line.hears();
    model.behave({ chunks: ['How can I help?'] });
    line.says('No, wait.');
    assert.equal(await line.hears(), 'How can I help?');
    assert.ok(!line.actions.includes('leave'));
    line.hangsUp();
    await over;
  });
});

describe('a call whose connection is lost', () => {
  it('is reconnected, and continues with an apology instead of the initial message', async () => {
    model.behave({});
    const { call, line, over, id } = await connect({ initial_message: 'Hello, this is Kim.' });
    await line.hears();
    line.says('What is this about?');
    await line.hears();
    line.lose();
    await over;
    assert.equal((await call.disconnect('lost')).type, 'connect');
    model.behave({ chunks: ['Sorry, where were we?'] });
    const again = call.connect();
    assert.equal(await again.line.hears(), 'Sorry, where were we?');
    again.line.hangsUp();
    await again.over;
    const record = await ended(id);
    assert.equal(
      record['transcript'],
      'AI: Hello, this is Kim.\nCustomer: What is this about?\nAI: You said: What is this about?\nAI: Sorry, where were we?',
    );
  });

  it('leaves the voicemail message if a machine is detected before it is reconnected', async () => {
    model.behave({});
    const { call, line, over, id } = await connect({ voice_mail_message: 'Please call back.' });
    await line.hears();
    line.lose();
    await over;
    await call.disconnect('lost');
    await call.report({ type: 'identified', by: 'machine' });
    const again = call.connect();
    assert.equal(await again.line.hears(), 'Please call back.');
    await again.over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['completed', 'voicemail']);
  });

  it('is charged once for each started minute', async () => {
    model.behave({});
    const { call, line, over, id } = await connect({ max_silence_duration: 300, reengagement_interval: 300 });
    await line.hears();
    await line.waits(70);
    line.says('Still here.');
    await line.hears();
    line.lose();
    await over;
    await call.disconnect('lost');
    const again = call.connect();
    await again.line.hears();
    await again.line.waits(60);
    await again.line.waits(1);
    again.line.hangsUp();
    await again.over;
    const record = await ended(id);
    assert.deepEqual(await chargedMinutes(id), [1, 2, 3]);
    assert.equal(record['total_cost'], 0.3);
    assert.ok(
      Number(record['duration']) >= 130 && Number(record['duration']) < 180,
      String(record['duration']),
    );
  });

  it('is not reconnected after its end', async () => {
    model.behave({});
    const { call, line, over, id } = await connect();
    await line.hears();
    line.hangsUp();
    await over;
    await ended(id);
    assert.deepEqual(await call.disconnect('lost'), { type: 'hang-up' });
    const late = call.connect();
    await assert.rejects(late.over);
    assert.deepEqual(late.line.actions, ['hang up']);
  });

  it('fails after two attempts to reconnect without a connection', async () => {
    model.behave({});
    const { call, line, over, id } = await connect();
    await line.hears();
    line.lose();
    await over;
    assert.equal((await call.disconnect('lost')).type, 'connect');
    assert.equal((await call.disconnect('lost')).type, 'connect');
    const again = call.connect();
    await again.line.hears();
    again.line.lose();
    await again.over;
    assert.equal((await call.disconnect('lost')).type, 'connect');
    assert.equal((await call.disconnect('lost')).type, 'connect');
    assert.deepEqual(await call.disconnect('lost'), { type: 'hang-up' });
    const record = await ended(id);
    assert.deepEqual(
      [record['status'], record['end_reason'], record['total_cost']],
      ['failed', 'no-connection', 0],
    );
  });

  it('keeps max_duration for the whole call after a reconnection', async () => {
    model.behave({});
    const { call, line, over } = await connect({ max_duration: 600 });
    await line.hears();
    line.now += 430;
    line.lose();
    await over;
    const next = await call.disconnect('lost');
    assert.equal(next.type === 'connect' && next.plan.maxDuration, 630);
    const again = call.connect();
    again.line.hangsUp();
    await again.over;
  });

  it('is not reconnected after max_duration', async () => {
    model.behave({});
    const { call, line, over } = await connect({
      max_duration: 60,
      max_silence_duration: 300,
      reengagement_interval: 300,
    });
    await line.hears();
    line.now += 61;
    line.lose();
    await over;
    assert.deepEqual(await call.disconnect('lost'), { type: 'hang-up' });
  });

  it('ends when the carrier reports its end', async () => {
    model.behave({});
    const { call, line, over, id } = await connect();
    await line.hears();
    line.says('One question.');
    await line.hears();
    line.lose();
    await over;
    await call.report({ type: 'ended', seconds: 9 });
    assert.deepEqual([(await ended(id))['status'], (await ended(id))['duration']], ['completed', 9]);
    assert.equal((await owner.get(`calls/${id}`)).json['total_cost'], 0.1);
  });
});
