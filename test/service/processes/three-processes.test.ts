import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody, readAssistant } from '../../support/records/assistant-body.ts';
import { findDiscrepancies } from '../../support/service/find-discrepancies.ts';
import { startPausedWebhookReceiver } from '../../support/servers/paused-webhook-receiver.ts';
import { startLoadBalancer } from '../../support/servers/load-balancer.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import type { Behavior, ChatRequest } from '../../support/servers/model-server.ts';
import { Owner } from '../../support/records/owner.ts';
import { RetryingVisitor } from '../../support/service/retrying-visitor.ts';
import { ServiceClient } from '../../support/service/service-client.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../../support/service/service.ts';
import { eventually } from '../../support/eventually.ts';
import { verify } from '../../support/servers/webhook-receiver.ts';

if (testDatabase === 'pglite') {
  test(
    'three processes behind a load balancer',
    { skip: 'an embedded database belongs to one process' },
    () => undefined,
  );
} else {
  const model = await startModelServer();
  atEnd(() => model.close());
  const webhooks = await startPausedWebhookReceiver();
  atEnd(() => webhooks.server.close());
  const env = {
    ...(await newDatabase()),
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'here',
    REPLY_LEASE_SECONDS: '4',
    JOB_POLL_SECONDS: '0.5',
    CARRIER_SECONDS: '0.01',
    ALLOW_PRIVATE_ADDRESSES: webhooks.server.address,
    WEBHOOK_TIMEOUT_SECONDS: '60',
  };
  // This service only answers requests; the processes run all jobs.
  const here = await startService(env);
  const { pool } = here.running.database;
  // The model identifies each process by its API key.
  const names = ['first', 'second', 'third'];
  const processes = await Promise.all(
    names.map((name) => startServiceProcess({ ...env, LLM_API_KEY: name })),
  );
  const balancer = await startLoadBalancer(processes.map(({ url }) => url));
  atEnd(() => balancer.close());

  const lastLine = ({ messages }: ChatRequest) => messages.at(-1)?.content ?? '';
  const isCall = ({ messages }: ChatRequest) =>
    messages[0]?.content.includes('You are on the phone') === true;
  const isEvaluation = (request: ChatRequest) => request.stream !== true;
  const isHeldChat = (request: ChatRequest) => !isCall(request) && lastLine(request).startsWith('Held');
  const processOf = ({ authorization = '' }: ChatRequest) =>
    names.indexOf(authorization.replace('Bearer ', ''));

  const evaluation = JSON.stringify({ sentiment: 'neutral', outcome: 'A talk', score: 0.5, variables: {} });
  const gate = Promise.withResolvers<string>();
  let holdsEvaluations = false;
  model.behave((request): Behavior => {
    if (isEvaluation(request)) {
      return { chunks: holdsEvaluations ? [gate.promise, evaluation] : [evaluation] };
    }
    const text = `You said: ${lastLine(request)}`;
    if (isCall(request)) return { gate: gate.promise, chunks: [text] };
    if (isHeldChat(request)) return { chunks: ['You said: ', gate.promise, lastLine(request)] };
    return lastLine(request).startsWith('Goodbye')
      ? { before: text, calls: [{ name: 'end_call', arguments: {} }] }
      : { chunks: [text] };
  });

  const owner = await Owner.create(here, '100');
  const { id: assistantId } = await owner.create(
    'assistant',
    assistantBody({
      post_call_evaluation: true,
      tools: [{ type: 'end_call', description: 'When the customer says goodbye.' }],
      conversation_ended_webhook_url: `${webhooks.server.url}/chats`,
      is_webhook_active: true,
      webhook_url: `${webhooks.server.url}/calls`,
      send_webhook_only_on_completed: false,
    }),
  );
  const assistant = String((await readAssistant(owner, assistantId))['uuid']);
  const secret = String((await owner.get('webhook-secret')).json['secret']);
  const caller = owner.at(Object.assign(new ServiceClient(balancer.url), { running: here.running }));

  const visitors: RetryingVisitor[] = [];
  const openChats = async (count: number) => {
    const opened = await Promise.all(
      Array.from({ length: count }, () => RetryingVisitor.open(balancer.url, assistant)),
    );
    visitors.push(...opened);
    return opened;
  };

  /** Ids of the accepted calls. Requests without a response are not repeated. */
  const acceptedCalls: number[] = [];
  const makeCalls = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const phone_number = `+49891${String(acceptedCalls.length + index).padStart(2, '0')}00000`;
        const answer = await caller
          .post('make_call', { phone_number, assistant_id: assistantId })
          .catch(() => undefined);
        if (answer?.status === 200) acceptedCalls.push(Number(answer.json['call_id']));
      }),
    );

  const count = async (condition: string, values: unknown[] = []) => {
    const { rows } = await pool.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM jobs.job WHERE ${condition}`,
      values,
    );
    return rows[0]?.found ?? 0;
  };
  const countByProcess = (isCounted: (request: ChatRequest) => boolean) => {
    const requests = model.requests.filter(isCounted);
    return names.map((_, name) => requests.filter((request) => processOf(request) === name).length);
  };

  test('three processes complete all accepted work when one of them is killed', async () => {
    const sayGoodbye = (chats: RetryingVisitor[]) =>
      Promise.all(chats.map((visitor) => visitor.say('Goodbye')));
    // All jobs are one owner's, who may otherwise use only some of the workers.
    await pool.query(`CREATE FUNCTION no_group() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NEW.group_id := NULL; RETURN NEW; END'`);
    await pool.query(
      'CREATE TRIGGER no_group BEFORE INSERT ON jobs.job FOR EACH ROW EXECUTE FUNCTION no_group()',
    );
    // Each process handles ten deliveries and ten evaluations at a time, so every process has some of both.
    await sayGoodbye(await openChats(24));
    await eventually('24 deliveries', () => webhooks.waiting() === 24);
    holdsEvaluations = true;
    const evaluated = model.requests.filter(isEvaluation).length;
    await sayGoodbye(await openChats(24));
    const held = () => model.requests.filter(isEvaluation).slice(evaluated);
    await eventually('24 evaluations', () => held().length === 24);
    await makeCalls(12);
    await eventually('twelve calls', () => model.requests.filter(isCall).length === 12);
    const chats = await openChats(12);
    // Every other message is streamed. Each is sent twice, as by a client that lost the first response.
    const answers = chats.map((visitor, index) =>
      visitor.say(`Held ${index}`, { streaming: index % 2 === 0, copies: 2 }),
    );
    await eventually('twelve replies', () => model.requests.filter(isHeldChat).length === 12);
    // These wait until the previous replies are complete.
    answers.push(...chats.map((visitor, index) => visitor.say(`Then ${index}`)));
    await eventually('all jobs to be active', async () => (await count("state = 'active'")) === 24 + 24);

    // Kills the process with most replies and calls, which depends on the load balancer and the queue.
    const replyCounts = countByProcess(isHeldChat);
    const callCounts = countByProcess(isCall);
    const products = callCounts.map((calls, name) => calls * (replyCounts[name] ?? 0));
    const killed = products.indexOf(Math.max(...products));
    const killedReplies = replyCounts[killed] ?? 0;
    const interrupted = held().filter((request) => processOf(request) === killed).length;
    // Other conversations continue meanwhile.
    const others = await openChats(9);
    const firstWord = Promise.race(others.map((visitor) => visitor.say('Hello')));
    const traffic = others.map(async (visitor, index) => {
      for (const word of ['One', 'Two', 'Three', 'Four']) {
        await visitor.say(word, { streaming: index % 2 === 0 });
      }
    });
    const lateCalls = makeCalls(6);
    await firstWord;
    processes[killed]?.signal('SIGKILL');
    await processes[killed]?.child.ended;
    const { rows } = await pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const startedBefore = "state = 'active' AND started_on <= $1::timestamptz";
    gate.resolve('');
    webhooks.answer();

    // The others finish their jobs. Those of the killed process remain: at least four evaluations and four deliveries.
    const remaining = interrupted + webhooks.cutOff();
    assert.ok(
      remaining >= 8 && killedReplies > 0,
      `${remaining} jobs and ${killedReplies} replies were interrupted`,
    );
    await eventually('the other processes to finish their jobs', async () => {
      return (await count(`${startedBefore} AND name <> 'place-call'`, [rows[0]?.now])) === remaining;
    });
    // Simulates half a minute without a heartbeat.
    await pool.query(
      `UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0, retry_delay_max = 1 WHERE ${startedBefore}`,
      [rows[0]?.now],
    );
    await Promise.all([...answers, ...traffic, lateCalls]);
    await sayGoodbye([...chats, ...others]);
    let discrepancies = await findDiscrepancies(pool);
    await eventually('all work to be complete', async () => {
      discrepancies = await findDiscrepancies(pool);
      // The rules are checked one after another while work continues, so one look may find what is not one state.
      return Object.keys(discrepancies).length === 0;
    }).catch((error: unknown) => {
      assert.deepEqual(discrepancies, {}, String(error));
    });
    assert.deepEqual(discrepancies, {});
    for (const { conversation, exchanges } of visitors) {
      const history = await here.history(conversation);
      for (const { text, answer } of exchanges) {
        assert.equal(answer.message, `You said: ${text}`);
        const at = history.indexOf(`user: ${text}`);
        assert.deepEqual(history.slice(at, at + 2), [`user: ${text}`, `assistant: You said: ${text}`]);
        assert.equal(history.lastIndexOf(`user: ${text}`), at);
      }
    }
    const { rows: refunded } = await pool.query("SELECT id FROM messages WHERE reply_state = 'failed'");
    assert.ok(refunded.length >= killedReplies, `${refunded.length} messages were refunded`);
    const { rows: calls } = await pool.query<{ id: number; reason: string }>(
      'SELECT id, end_reason AS reason FROM calls',
    );
    assert.deepEqual(
      acceptedCalls.filter((id) => !calls.some((call) => call.id === id)),
      [],
    );
    const cutOff = calls.filter(({ reason }) => reason === 'service-stopped');
    assert.ok(
      cutOff.length >= (callCounts[killed] ?? 0) && cutOff.length > 0,
      `${cutOff.length} calls were interrupted`,
    );

    const { rows: deliveries } = await pool.query<{ id: string; payload: string }>(
      'SELECT webhook_id AS id, payload FROM webhook_deliveries',
    );
    const { requests } = webhooks.server;
    for (const request of requests) verify(secret, request);
    const received = new Map(requests.map(({ headers, body }) => [String(headers['webhook-id']), body]));
    assert.deepEqual(received, new Map(deliveries.map(({ id, payload }) => [id, payload])));
    assert.equal(requests.length, received.size + webhooks.cutOff());
  });
}
