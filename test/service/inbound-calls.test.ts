import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { admitCall } from '../../src/service/call/start/admit-call.ts';
import { failAbandonedCalls } from '../../src/service/call/outcome/fail-abandoned-calls.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { createLog } from '../../src/service/log.ts';
import { deleteOldCalls } from '../../src/service/retention/delete-old-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../support/until.ts';
import { startChildProcess } from '../support/process/child-process.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { repository } from '../support/repository.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { atEnd, newDatabase, readMoney, startService } from '../support/service/service.ts';

/** The owner's webhook, which returns variables. `/hooks/slow` does not respond. */
const hooks = await startLoopbackServer(({ path }) =>
  path.endsWith('/slow') ? undefined : { variables: { name: 'Ada' } },
);
atEnd(() => hooks.close());
const env = await newDatabase();
const settings = { CARRIER_SECONDS: '0', WORKERS: 'on', ALLOW_PRIVATE_ADDRESSES: hooks.address };
const service = await startService({ ...env, ...settings, JOB_POLL_SECONDS: '0.5' });

/** Callers whose digits determine their behavior (see number-traits.ts). */
const customers = {
  asks: '+4989100100000',
  withQuestions: '+4989100100200',
  objects: '+4989100100900',
};

/** An owner who has bought a number for an active inbound assistant. */
async function reachable(assistant: object = {}, balance = '10', at = service) {
  const owner = await Owner.create(at, balance);
  const { json } = await owner.get('phone-numbers/search?country_code=DE');
  const number = String((json['data'] as Record<string, unknown>[])[0]?.['phone_number']);
  const { id: numberId } = await owner.create('phone-numbers/purchase', { phone_number: number });
  const body = assistantBody({ type: 'inbound', phone_number_id: numberId, ...assistant });
  const { id } = await owner.create('assistant', body);
  assert.equal((await owner.put(`assistant/${id}`, { status: 'active' })).status, 200);
  return { owner, number, numberId, id };
}

/** Rings a number from the command line. */
async function ring(number: string, from?: string, given: Record<string, string> = {}) {
  const printed: string[] = [];
  const streams = {
    out: (text: string) => void printed.push(text),
    err: (text: string) => void printed.push(text),
  };
  const args = ['numbers', 'ring', '--number', number, ...(from === undefined ? [] : ['--from', from])];
  const code = await runCli(args, { ...env, ...given }, streams, service.running.database);
  return { code, printed, text: printed.join('\n') };
}

const callsOf = async (owner: Owner, query = '') =>
  (await owner.get(`calls${query}`)).json['data'] as (Record<string, unknown> & { id: number })[];

describe('an inbound call', () => {
  test('is answered by the assistant with the purchased number, and charged by the minute', async () => {
    const { owner, number } = await reachable({ initial_message: 'Hello, this is Kim.' });
    const { code, printed, text } = await ring(number, customers.withQuestions);
    assert.equal(code, 0, text);
    assert.match(
      text,
      /\nAssistant: Hello, this is Kim\.\nCustomer: Hello, I have a question\.\nAssistant: /,
    );
    assert.match(text, /\nCustomer: Thank you, goodbye!\nAssistant: /);
    const [call, ...others] = await callsOf(owner, '?type=inbound');
    assert.ok(call);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [call['type'], call['status'], call['assistant_phone_number'], call['client_phone_number']],
      ['inbound', 'completed', number, customers.withQuestions],
    );
    const minutes = Math.ceil(Number(call['duration']) / 60);
    assert.ok(minutes >= 1);
    assert.deepEqual(
      [call['carrier_cost'], call['total_cost'], call['answered_by'], call['end_reason']],
      [minutes * 0.05, minutes * 0.1, 'human', 'hung-up'],
    );
    const { balance, ledger } = await readMoney(service, owner.id);
    assert.equal(balance, ledger);
    assert.equal(balance, 8 - Number(call['total_cost']));
    assert.match(printed.at(-1) ?? '', /The call has ended: completed \(hung-up\), \d+ s, 0\.\d0 USD\.$/);
    assert.deepEqual(await callsOf(owner, '?type=outbound'), []);
  });

  test('fills the variables of its webhook into the prompt and the initial message', async () => {
    const { owner, number, id } = await reachable({
      initial_message: 'Hello {{name}} of {{shop}}.',
      variables: { name: 'you', shop: 'Oslo' },
    });
    const webhook_url = `${hooks.url}/hooks/ada`;
    await owner.post('assistants/enable-inbound-webhook', { assistant_id: id, webhook_url });
    const { text } = await ring(number, customers.asks);
    assert.match(text, /Assistant: Hello Ada of Oslo\./);
    const webhooks = () => hooks.requests.filter(({ path }) => path === '/hooks/ada');
    // The second webhook follows the evaluation.
    await until(() => webhooks().length >= 2);
    const [started, ended] = webhooks().map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    assert.deepEqual([started?.['status'], started?.['customer_phone']], ['in-progress', customers.asks]);
    assert.deepEqual(
      [ended?.['id'], ended?.['status'], ended?.['input_variables']],
      [started?.['id'], 'completed', { name: 'Ada', shop: 'Oslo' }],
    );
  });

  test('starts without variables if the webhook times out', async () => {
    const { owner, number, id } = await reachable({
      initial_message: 'Hello {{name}}.',
      variables: { name: 'you' },
    });
    const webhook_url = `${hooks.url}/hooks/slow`;
    await owner.post('assistants/enable-inbound-webhook', { assistant_id: id, webhook_url });
    const { text } = await ring(number, customers.asks);
    assert.match(text, /Assistant: Hello you\./);
    const { json } = await owner.get('webhook-deliveries?event=inbound-call-started');
    assert.deepEqual(
      (json['data'] as Record<string, unknown>[]).map(({ status, error }) => [status, error]),
      [['failed', 'the server did not answer in time']],
    );
  });

  test('is recorded, evaluated, listed and deleted like an outbound one', async () => {
    const { owner, number, id } = await reachable({ record: true, post_call_evaluation: true });
    await ring(number, customers.asks);
    const [call] = await callsOf(owner, `?type=inbound&assistant_id=${id}&status=completed`);
    assert.ok(call);
    const { pathname } = new URL(String(call['recording_url']));
    assert.equal((await service.request('GET', pathname)).status, 200);
    await eventually('the evaluation', async () => {
      const { json } = await owner.get(`calls/${call.id}`);
      return Object.keys(json['evaluation'] as object).length > 0 ? true : undefined;
    });
    assert.equal((await owner.delete(`calls/${call.id}`)).status, 200);
    assert.deepEqual(await callsOf(owner), []);
    assert.equal((await service.request('GET', pathname)).status, 404);
  });

  test('is exported and deleted with the data about a person, and deleted after the retention time', async () => {
    const { owner, number } = await reachable();
    const phone = '+4989100177000';
    await ring(number, phone);
    const streams = (out: string[]) => ({ out: (text: string) => void out.push(text), err: () => undefined });
    const exported: string[] = [];
    const { database } = service.running;
    await runCli(['person', 'export', '--phone', phone], env, streams(exported), database);
    const { calls } = JSON.parse(exported.join('')) as { calls: Record<string, unknown>[] };
    assert.deepEqual(
      calls.map(({ type, client_phone_number }) => [type, client_phone_number]),
      [['inbound', phone]],
    );
    assert.ok(!('token' in (calls[0] ?? {})));
    assert.equal(
      await runCli(['person', 'delete', '--phone', phone, '--yes'], env, streams([]), database),
      0,
    );
    assert.deepEqual(await callsOf(owner), []);

    await ring(number, phone);
    const [old] = await callsOf(owner);
    await database.pool.query(
      `UPDATE calls SET created_at = now() - interval '3 days', ended_at = now() - interval '3 days' WHERE id = $1`,
      [old?.id],
    );
    const jobs = new StoredJobs(database);
    await deleteOldCalls({ database, jobs }, 2, new AbortController().signal);
    assert.deepEqual(await callsOf(owner), []);
  });

  test('fails free of charge if the carrier never connects it', async () => {
    const { owner, number } = await reachable();
    const { database } = service.running;
    const jobs = new StoredJobs(database);
    const limits = { inParallel: 50, perDay: 1000 };
    const call = { carrierCallId: 'CA-unconnected', from: customers.asks, to: number };
    const admission = await admitCall({ database, jobs, limits, log: createLog('silent') }, call);
    assert.equal(admission.type, 'accept');
    await failAbandonedCalls({ database, jobs });
    assert.equal((await callsOf(owner))[0]?.['status'], 'initiated');
    await database.pool.query(
      `UPDATE calls SET created_at = now() - interval '3 minutes', lease_until = now() - interval '1 minute'
       WHERE carrier_call_id = 'CA-unconnected'`,
    );
    await failAbandonedCalls({ database, jobs });
    const [ended] = await callsOf(owner);
    assert.deepEqual([ended?.['status'], ended?.['total_cost']], ['failed', 0]);
  });

  test('is stored without a withheld number, and blocks the number of a caller who asks not to be called', async () => {
    const { owner, number } = await reachable();
    assert.equal((await ring(number)).code, 0);
    const [withheld] = await callsOf(owner);
    assert.equal(withheld?.['client_phone_number'], '');
    await ring(number, customers.objects);
    const { json } = await owner.get('blocked-numbers');
    assert.deepEqual(
      (json['data'] as Record<string, unknown>[]).map(({ phone_number }) => phone_number),
      [customers.objects],
    );
    const { code, text } = await ring(number, customers.objects);
    assert.deepEqual(
      [code, text],
      [1, 'The call was rejected: The owner of the number has blocked the caller.'],
    );
  });

  test('is busy if the balance is too low, which is listed and sent to the webhook', async () => {
    const { owner, number, id } = await reachable({}, '2.05');
    const webhook_url = `${hooks.url}/hooks/busy`;
    await owner.post('assistants/enable-inbound-webhook', { assistant_id: id, webhook_url });
    const { code, text } = await ring(number, customers.asks);
    assert.deepEqual([code, text], [1, "The line is busy: The owner's balance does not cover a minute."]);
    const [call] = await callsOf(owner, '?status=busy');
    assert.deepEqual([call?.['type'], call?.['end_reason'], call?.['total_cost']], ['inbound', 'balance', 0]);
    const received = () => hooks.requests.filter(({ path }) => path === '/hooks/busy');
    await until(() => received().length > 0);
    assert.deepEqual(
      received().map(({ body }) => (JSON.parse(body) as Record<string, unknown>)['status']),
      ['busy'],
    );
  });
});

describe('CARRIER_COUNTRIES', () => {
  test('also applies to transfers and leads that were stored before it was set', async () => {
    const model = await startModelServer();
    atEnd(() => model.close());
    const separate = await newDatabase();
    const language = { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' };
    const limited = await startService({ ...separate, ...settings, ...language, CARRIER_COUNTRIES: 'DE' });
    const tools = [{ type: 'call_transfer', description: 'For a person.', phone_number: '+4930123456' }];
    const { owner, number } = await reachable({ tools }, '10', limited);
    const { pool } = limited.running.database;
    await pool.query(
      "UPDATE assistants SET tools = replace(tools::text, '+4930123456', '+43720000123')::jsonb",
    );
    model.behave({ calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['I cannot do that.'] });
    const streams = { out: () => undefined, err: () => undefined };
    const args = ['numbers', 'ring', '--number', number, '--from', customers.asks];
    assert.equal(await runCli(args, separate, streams, limited.running.database), 0);
    const transferred = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    assert.ok(transferred.some((message) => /no phone number to transfer/.test(message)));

    const outbound = await owner.create('assistant', assistantBody({ type: 'outbound' }));
    const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: outbound.id });
    await owner.create('lead', { phone_number: '+4989100100000', campaign_id: campaign.id });
    await pool.query("UPDATE leads SET phone_number = '+43720000123'");
    await owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
    const refused = await eventually('the call of the lead to fail', async () => {
      const [call] = await callsOf(owner, '?status=failed');
      return call;
    });
    assert.deepEqual(
      [refused['end_reason'], refused['client_phone_number']],
      ['country-not-allowed', '+43720000123'],
    );
  });
});

describe('numbers ring', () => {
  test('prints the transcript during the call', async () => {
    const model = await startModelServer();
    atEnd(() => model.close());
    const separate = {
      ...(await newDatabase()),
      ...settings,
      LLM_BASE_URL: model.url,
      LLM_API_KEY: 'sk-test',
    };
    const slow = await startService(separate);
    const { number } = await reachable({ initial_message: 'Hello.' }, '10', slow);
    const greeted = Promise.withResolvers<undefined>();
    // The model answers once the beginning of the call has been printed.
    model.behave({ gate: greeted.promise, chunks: ['An answer.'] });
    const printed: string[] = [];
    const out = (text: string) => {
      printed.push(text);
      if (text.includes('Customer: Hello, I have a question.')) greeted.resolve(undefined);
    };
    const args = ['numbers', 'ring', '--number', number, '--from', customers.asks];
    assert.equal(await runCli(args, separate, { out, err: out }, slow.running.database), 0);
    const text = printed.join('\n');
    assert.match(text, /^Calling \+49\d+ \(call \d+\)\.\nAssistant: Hello\.\nCustomer: Hello/);
    assert.match(text, /\nAssistant: An answer\.\n/);
    assert.equal(text.split('Assistant: Hello.').length, 2);
  });

  test('rings a number of a service that runs in another process', async () => {
    const separate = { ...(await newDatabase()), ...settings };
    const program = async (...args: string[]) => {
      const path = join(repository, 'src/service/cli.ts');
      const child = startChildProcess(process.execPath, [path, ...args], { env: separate });
      return { code: await child.ended, output: child.output() };
    };
    await program('users', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--balance', '5');
    const key = await program('keys', 'create', '--user', 'ada@example.com', '--name', 'Web');
    const running = await startServiceProcess(separate);
    const headers = { Authorization: `Bearer ${key.output.trim()}` };
    const send = async (method: string, path: string, body: object) => {
      const { json, text } = await running.request(method, `/api/user/${path}`, body, headers);
      const data = json['data'] as { id: number } | undefined;
      if (data === undefined) throw new Error(text);
      return data.id;
    };
    const number = '+493023125000';
    const phone_number_id = await send('POST', 'phone-numbers/purchase', { phone_number: number });
    const id = await send('POST', 'assistant', assistantBody({ type: 'inbound', phone_number_id }));
    await send('PUT', `assistant/${id}`, { status: 'active' });
    const { code, output } = await program('numbers', 'ring', '--number', number, '--from', customers.asks);
    assert.equal(code, 0, output);
    assert.match(output, /^Calling \+493023125000 \(call 1\)\.\n(.+\n)*Customer: .+\n/);
    assert.match(output, /\nThe call has ended: completed \(hung-up\), \d+ s, 0\.\d0 USD\.\n$/);
    await running.stop();
  });

  test('rejects invalid numbers, and numbers without an active inbound assistant', async () => {
    assert.deepEqual(await ring('030'), {
      code: 2,
      printed: [
        '"030" is not a phone number in E.164 format, such as +4930123456.\n"numbers ring --help" lists the options of the command.',
      ],
      text: '"030" is not a phone number in E.164 format, such as +4930123456.\n"numbers ring --help" lists the options of the command.',
    });
    const { code, text } = await ring('+4930999999');
    assert.deepEqual(
      [code, text],
      [
        1,
        'The call was rejected: No account has this number. Add one with "numbers add", or buy one over the HTTP interface.',
      ],
    );
    const { owner, number, id } = await reachable();
    await owner.put(`assistant/${id}`, { status: 'inactive' });
    assert.match(
      (await ring(number)).text,
      /No active inbound assistant has this number\. Set phone_number_id/,
    );
  });

  test('is refused with a real carrier', async () => {
    const { number } = await reachable();
    const { code, text } = await ring(number, customers.asks, {
      CARRIER: 'twilio',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'f'.repeat(32),
      TWILIO_PHONE_NUMBER: '+4930123456',
      PUBLIC_URL: 'https://voice.example',
    });
    assert.deepEqual(
      [code, text],
      [1, 'Only a simulated carrier can ring a number. Call it with a telephone instead.'],
    );
  });
});
