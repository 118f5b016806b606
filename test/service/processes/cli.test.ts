import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { runCli } from '../../../src/service/cli/run-cli.ts';
import { settings } from '../../../src/service/settings.ts';
import { addCall } from '../../support/records/add-records.ts';
import { addCampaign } from '../../support/records/add-records.ts';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { startChildProcess } from '../../support/process/child-process.ts';
import { Owner } from '../../support/records/owner.ts';
import { repository } from '../../support/repository.ts';
import {
  atEnd,
  createAssistant,
  newDatabase,
  readMoney,
  startService,
  testDatabase,
} from '../../support/service/service.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import type { Environment } from '../../support/service/service.ts';

const service = await startService();
const { pool } = service.running.database;
const folder = await mkdtemp(join(tmpdir(), 'cli-'));
atEnd(() => rm(folder, { recursive: true, force: true }));

/** Runs a command on the database that the tests share. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const streams = {
    out: (text: string) => (written.out += text),
    err: (text: string) => (written.err += text),
  };
  const code = await runCli(args, { DATA_DIR: folder }, streams, service.running.database);
  return { code, ...written };
}

/** Returns the JSON output of a command. */
async function json(...args: string[]): Promise<unknown> {
  const { code, out, err } = await run(...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** Runs the program with a separate database, as an operator does. */
async function runProgram(env: Environment, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const program = join(repository, 'src/service/cli.ts');
  const child = startChildProcess(process.execPath, [program, ...args], { env });
  return { code: await child.ended, output: child.output() };
}

test('ends without an error if its output is no longer read', async () => {
  const child = spawn(process.execPath, [join(repository, 'src/service/cli.ts'), '--help']);
  child.stdout.destroy();
  const [errors, closing] = await Promise.all([readText(child.stderr), once(child, 'close')]);
  assert.deepEqual([closing[0], errors], [0, '']);
});

test('creates a user and a key that work, and works while a service uses the database', async () => {
  const env = await newDatabase();
  const ada = ['--name', 'Ada Ly', '--email', 'ada@example.com', '--balance', '12.50'];
  const created = await runProgram(env, 'users', 'create', ...ada);
  assert.deepEqual([created.code, created.output], [0, 'Created user 1.\n']);
  const key = await runProgram(env, 'keys', 'create', '--user', 'ADA@example.com', '--name', 'Web');
  const opened = await startService(env);
  const me = await opened.get('/api/user/me', { Authorization: `Bearer ${key.output.trim()}` });
  assert.deepEqual(me.json, { name: 'Ada Ly', email: 'ada@example.com', total_balance: 12.5 });

  const second = await runProgram(env, 'migrate');
  const done = /^The database is up to date: \d{4}-[\w-]+\.sql is its latest migration\.\n$/;
  assert.equal(second.code, 0);
  assert.match(second.output, done);
});

test(
  'needs a stop of the service if that could not create its socket',
  { skip: testDatabase === 'postgres' && 'needs no socket' },
  async () => {
    const env = await newDatabase();
    // Has the effect of a file system without sockets.
    await mkdir(join(env['DATA_DIR'] ?? '', 'commands.sock'));
    const running = await startServiceProcess(env);
    assert.equal((await running.get('/healthz')).status, 200);
    assert.match(running.child.output(), /stop the service before you use the command line/);
    const { code, output } = await runProgram(env, 'users', 'list');
    assert.equal(code, 1);
    assert.match(output, /^The data folder .* is in use by another process\. /);
    await running.stop();
  },
);

test('refuses a command without the settings of the service, instead of creating a second database', async () => {
  const dataDir = join(folder, 'none');
  const env = { DATA_DIR: dataDir, DATABASE_URL: undefined };
  assert.deepEqual(await runProgram(env, 'users', 'list'), {
    code: 1,
    output: `There is no database in ${dataDir}. Set DATABASE_URL or DATA_DIR as for the service, or create a database with "setup".\n`,
  });
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
});

test('exits with code 2 for an unknown command', async () => {
  const { code, output } = await runProgram({ DATA_DIR: folder }, 'frob');
  assert.deepEqual([code, output], [2, 'There is no command "frob".\n"--help" lists all commands.\n']);
});

test('creates, lists and revokes users and keys', async () => {
  const email = `${randomUUID()}@example.com`;
  const user = (await json('users', 'create', '--name', 'Ada Ly', '--email', email)) as { id: number };
  const id = String(user.id);
  const { key } = (await json('keys', 'create', '--user', email, '--name', 'Web')) as { key: string };
  await json('top-up', '--user', id, '--amount', '12.50');
  await json('top-up', '--user', id, '--amount', '0.25');
  const me = () => service.get('/api/user/me', { Authorization: `Bearer ${key}` });
  assert.equal((await me()).json['total_balance'], 12.75);
  assert.deepEqual(await readMoney(service, user.id), { balance: 12.75, ledger: 12.75 });

  const { out } = await run('users', 'list');
  assert.match(out, new RegExp(`^${id} +Ada Ly +${email} +12\\.7500 +1$`, 'm'));
  const users = (await json('users', 'list')) as { email: string }[];
  assert.deepEqual(
    users.find((listed) => listed.email === email),
    { id: user.id, name: 'Ada Ly', email, balance: '12.7500', keys: 1 },
  );

  const [listed] = (await json('keys', 'list', '--user', id)) as { id: number; name: string }[];
  assert.equal(listed?.name, 'Web');
  assert.deepEqual(await json('keys', 'revoke', '--id', String(listed.id)), { id: listed.id });
  assert.deepEqual(await json('keys', 'list', '--user', id), []);
  assert.equal((await me()).status, 401);

  const again = await run('users', 'create', '--name', 'Eve', '--email', email.toUpperCase());
  assert.equal(again.code, 1);
  assert.match(again.err, /^There is already a user with the e-mail address [^\n]+\.$/);
});

test('creates a user without a balance, also with the default as the option', async () => {
  for (const given of [[], ['--balance', '0']]) {
    const ada = ['--name', 'Ada Ly', '--email', `${randomUUID()}@example.com`];
    const { id } = (await json('users', 'create', ...ada, ...given)) as { id: number };
    assert.deepEqual(await readMoney(service, id), { balance: 0, ledger: 0 });
    const { rows } = await pool.query('SELECT FROM ledger_entries WHERE user_id = $1', [id]);
    assert.equal(rows.length, 0);
  }
});

test('creates keys with restrictions, lists and rotates them', async () => {
  const email = `${randomUUID()}@example.com`;
  await json('users', 'create', '--name', 'Ada Ly', '--email', email);
  const restrictions = ['--scope', 'inbox, read', '--expires-in', '30', '--address', '127.0.0.0/8 ::1'];
  const { key } = (await json('keys', 'create', '--user', email, '--name', 'Desk', ...restrictions)) as {
    key: string;
  };
  const list = async () =>
    (await json('keys', 'list', '--user', email)) as { id: number; replaced_by: number | null }[];
  const [created] = await list();
  const { out } = await run('keys', 'list', '--user', email);
  assert.match(out, /^id +name +created +last used +expires +replaced by +scopes +addresses\n/);
  assert.match(out, / inbox,read +127\.0\.0\.0\/8,::1$/);

  const rotated = (await json('keys', 'rotate', '--id', String(created?.id), '--overlap', '1')) as {
    id: number;
    key: string;
    previous_expires_at: string;
  };
  for (const each of [key, rotated.key]) {
    const { status } = await service.get('/api/user/me', { Authorization: `Bearer ${each}` });
    assert.equal(status, 200);
  }
  const hours = (Date.parse(rotated.previous_expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 0.5 && hours < 1.5);
  assert.deepEqual(
    (await list()).map(({ id, replaced_by: by }) => [id, by]),
    [
      [rotated.id, null],
      [created?.id, rotated.id],
    ],
  );
  const again = await run('keys', 'rotate', '--id', String(created?.id));
  assert.deepEqual(
    [again.code, again.err],
    [1, `The key ${created?.id} is already replaced by the key ${rotated.id}.`],
  );
});

test('prints the settings with type, range, default and meaning in the help of both programs', async () => {
  const service = startChildProcess(process.execPath, [join(repository, 'src/service/main.ts'), '--help']);
  assert.equal(await service.ended, 0);
  const commands = await runProgram({}, '--help');
  assert.equal(commands.code, 0);
  for (const help of [service.output(), commands.output]) {
    assert.match(help, /^ {2}PORT {2}integer 0 to 65,535; default 3000\n {6}Port; 0 picks a free one\.$/m);
    assert.match(help, /^ {2}FSYNC {2}one of on, off; default on$/m);
    assert.match(help, /^ {2}DATABASE_URL {2}URL; no default$/m);
    const missing = Object.keys(settings).filter((name) => !help.includes(`\n  ${name}  `));
    assert.deepEqual(missing, []);
    assert.match(help, /^ {6}Carrier of phone calls: a simulation, Twilio \(docs\/twilio\.md\), or /m);
    assert.match(help, /speech is offline \(Live voice, docs\/live-voice\.md\)\.$/m);
    assert.doesNotMatch(help, /\]\(/);
  }
});

test('refuses arguments that the service does not know', async () => {
  const child = startChildProcess(process.execPath, [join(repository, 'src/service/main.ts'), '--port=1']);
  assert.equal(await child.ended, 2);
  assert.equal(
    child.output(),
    'The only options are --json and --help. Settings are environment variables.\n',
  );
});

test('lists every command in the help, and the options of each', async () => {
  const { code, out } = await run('--help');
  assert.equal(code, 0);
  const names = [...out.matchAll(/^ {2}([a-z][\w-]*(?: \w+)?) {2,}/gm)].map(([, name = '']) => name);
  assert.ok(names.length >= 10);
  for (const name of names.filter((each) => each !== 'start')) {
    const help = await run(...name.split(' '), '--help');
    assert.equal(help.code, 0);
    assert.match(help.out, new RegExp(`^Usage: npx node src/service/cli.ts ${name} `));
  }
});

test('lists the commands about an object if only the object is given', async () => {
  const { code, out } = await run('documents', '--help');
  assert.equal(code, 0);
  const commands = ['add', 'list'].map((action) => ` {2}documents ${action}( {2}.+){1,}\\n`);
  assert.match(
    out,
    new RegExp(`^Usage: npx node src/service/cli.ts documents <command>.*\\n\\n${commands.join('')}`),
  );
  assert.doesNotMatch(out, /keys create|DATABASE_URL/);
});

test('prints its version', async () => {
  const manifest = JSON.parse(await readFile(join(repository, 'src/service/package.json'), 'utf8')) as {
    version: string;
  };
  for (const option of ['--version', '-v'])
    assert.deepEqual(await run(option), { code: 0, out: manifest.version, err: '' });
});

const usageErrors: [args: string, message: RegExp][] = [
  ['', /^Usage: /],
  ['frob', /^There is no command "frob"\.\n/],
  ['--json users list', /^Options such as --json come after the command\.\n/],
  ['users', /^"users" is incomplete: use "users create" or "users list"\.\n/],
  [
    'users create',
    /^users create: --name <name> is required\.\n"users create --help" lists the options of the command\.$/,
  ],
  ['users create --name= --email a@b', /--name must not be empty/],
  ['users create --name A --email nobody', /"nobody" is not an e-mail address/],
  ['users list --all', /Unknown option '--all'/],
  ['users list 1', /Unexpected argument '1'/],
  ['keys create --user 1 --name A --scope read,all', /There is no scope "all"\. --scope is a list of read, /],
  ['keys create --user 1 --name A --scope ,', /--scope must not be empty/],
  ['keys create --user 1 --name A --address ,', /--address must not be empty/],
  [
    'keys create --user 1 --name A --address 10.0.0.0/33',
    /"10\.0\.0\.0\/33" is neither an address nor a range/,
  ],
  ['keys create --user 1 --name A --expires-in 0', /--expires-in must be a number of days from 1 to 3650/],
  ['keys rotate --id 1 --overlap 721', /--overlap must be a number of hours from 0 to 720/],
  [
    'users create --name A --email a@b --balance=-1',
    /--balance must be an amount of at least 0 with at most/,
  ],
  ['top-up --user 1 --amount 1e3', /--amount must be an amount other than 0/],
  ['top-up --user 1 --amount=--1', /--amount must be an amount other than 0/],
  ['top-up --user 1 --amount=-0', /--amount must be an amount other than 0/],
  ['top-up --user 1 --amount -1', /starting with a dash use '--amount=-/],
  ['person export', /Identify the person with/],
  ['person export --phone 123', /"123" is not a phone number in E\.164 format/],
  ['person export --conversation 123', /"123" is not a UUID/],
  ['person delete --phone +4915112345678', /--yes is required/],
];
for (const [args, message] of usageErrors) {
  test(`explains what is wrong with "${args}"`, async () => {
    const { code, out, err } = await run(...args.split(' ').filter((word) => word !== ''));
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
    assert.doesNotMatch(err, /\n\s+at /);
  });
}

test('takes back a top-up with a negative amount, but not more than the balance', async () => {
  const email = `${randomUUID()}@example.com`;
  const user = (await json('users', 'create', '--name', 'Ada', '--email', email)) as { id: number };
  await json('top-up', '--user', email, '--amount', '1000');
  assert.deepEqual(await json('top-up', '--user', email, '--amount=-999.50'), { balance: '0.5000' });
  const refused = await run('top-up', '--user', email, '--amount=-0.51');
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'The balance is 0.5000 USD. Not more than that can be taken back. Nothing was changed.'],
  );
  assert.deepEqual(await json('top-up', '--user', email, '--amount=-0.5'), { balance: '0.0000' });
  assert.deepEqual(await readMoney(service, user.id), { balance: 0, ledger: 0 });
});

test('exits with code 1 and one sentence if a command fails', async () => {
  const failures: [args: string[], message: RegExp][] = [
    [
      ['keys', 'create', '--user', 'nobody@example.com', '--name', 'x'],
      /^There is no user "nobody@example\.com"/,
    ],
    [['keys', 'revoke', '--id', '999999'], /^There is no key with the id "999999"\.$/],
    [['keys', 'rotate', '--id', '999999'], /^There is no key with the id "999999"\.$/],
    [['person', 'export', '--phone', '+4915100000000'], /^There is no data about this person\.$/],
  ];
  for (const [args, message] of failures) {
    const { code, err } = await run(...args);
    assert.equal(code, 1);
    assert.match(err, message);
    assert.doesNotMatch(err, /\n/);
  }
});

test('can seed any number of times', async () => {
  const first = (await json('seed')) as { apiKey: string; assistants: object[] };
  assert.ok(first.assistants.length > 3);
  assert.deepEqual(await json('seed'), first);
});

/** A number that no other test calls. */
const newNumber = () => `+4915${String(randomInt(1e9)).padStart(9, '1')}`;

describe("a person's data", () => {
  test('is exported and deleted by conversation', async () => {
    const assistant = await createAssistant(service, { initialMessage: 'Hello!' });
    const [theirs, other] = [await service.open(assistant.uuid), await service.open(assistant.uuid)];
    for (const uuid of [theirs, other]) await service.send(uuid, `I am ${uuid}`);
    const money = await readMoney(service, assistant.userId);

    const data = (await json('person', 'export', '--conversation', theirs.toUpperCase())) as {
      conversations: { uuid: string; assistant: string; messages: { content: string }[] }[];
    };
    assert.equal(data.conversations.length, 1);
    assert.equal(data.conversations[0]?.uuid, theirs);
    assert.equal(data.conversations[0].assistant, 'Test assistant');
    assert.deepEqual(
      data.conversations[0].messages.slice(0, 2).map(({ content }) => content),
      ['Hello!', `I am ${theirs}`],
    );

    const { out, code } = await run('person', 'delete', '--conversation', theirs, '--yes');
    assert.equal(code, 0);
    assert.match(out, /conversations: 1 deleted\ncalls: 0 deleted/);
    assert.equal((await run('person', 'export', '--conversation', theirs)).code, 1);
    assert.equal((await service.get(`/api/conversations/${theirs}`)).status, 404);
    assert.equal((await service.history(other)).length, 3);
    assert.deepEqual(await readMoney(service, assistant.userId), money);
  });

  test('is exported and deleted by customer identifier, which is unique per user only', async () => {
    const customer = randomUUID();
    const owners = [await Owner.create(service, '1'), await Owner.create(service, '1')];
    for (const owner of owners) {
      const { id } = await owner.create('assistant', assistantBody());
      const asked = { assistant_id: id, customer_identifier: customer, message: `I am of ${owner.id}` };
      assert.equal((await owner.post('ai/generate-reply', asked)).status, 200);
    }
    const [ours = '', theirs = ''] = owners.map(({ id }) => String(id));
    const read = async (user: string) => {
      const { out } = await run('person', 'export', '--customer', customer, '--user', user);
      return [ours, theirs].map((id) => out.includes(`I am of ${id}`));
    };
    assert.deepEqual(await read(ours), [true, false]);
    const counts = await json('person', 'delete', '--customer', customer, '--user', ours, '--yes');
    assert.equal((counts as { conversations: number }).conversations, 1);
    assert.equal((await run('person', 'export', '--customer', customer, '--user', ours)).code, 1);
    assert.deepEqual(await read(theirs), [false, true]);
    assert.equal((await run('person', 'export', '--customer', customer)).code, 2);
  });

  test('is exported and deleted by the sub of user tokens, which is not a customer identifier', async () => {
    const [sub, { uuid, userId }] = [randomUUID(), await createAssistant(service, { balance: '1' })];
    const signedIn = [await service.open(uuid), await service.open(uuid)];
    const customer = await service.open(uuid);
    await pool.query('UPDATE conversations SET verified_user = $2 WHERE uuid = ANY ($1)', [signedIn, sub]);
    await pool.query('UPDATE conversations SET customer_identifier = $2 WHERE uuid = $1', [customer, sub]);
    const person = ['--sub', sub, '--user', String(userId)];
    const { conversations } = (await json('person', 'export', ...person)) as {
      conversations: { uuid: string }[];
    };
    assert.deepEqual(
      conversations.map((conversation) => conversation.uuid),
      signedIn,
    );
    const { conversations: deleted } = (await json('person', 'delete', ...person, '--yes')) as {
      conversations: number;
    };
    assert.equal(deleted, 2);
    assert.equal((await run('person', 'export', ...person)).code, 1);
    assert.equal((await service.get(`/api/conversations/${customer}`)).status, 200);
    assert.equal((await run('person', 'export', '--sub', sub)).code, 2);
  });

  test('is exported and deleted by phone number', async () => {
    const owner = await Owner.create(service);
    const campaign = await addCampaign(owner);
    const [phone, otherPhone] = [newNumber(), newNumber()];
    const lead = { campaign_id: campaign.id, variables: { name: 'Eve' } };
    const { id: leadId } = await owner.create('lead', {
      ...lead,
      phone_number: phone,
      secondary_contacts: [{ phone_number: otherPhone }],
    });
    const kept = await owner.create('lead', {
      ...lead,
      phone_number: otherPhone,
      secondary_contacts: [{ phone_number: phone }],
    });
    // The lead has the other number as a contact.
    for (const clientPhoneNumber of [phone, otherPhone]) {
      const callId = await addCall(service, {
        ...{ userId: owner.id, clientPhoneNumber, transcript: `AI: ${clientPhoneNumber}` },
        ...(clientPhoneNumber === otherPhone && { leadId, inputVariables: { name: 'Eve' } }),
        carrierRecordingId: `recording of ${clientPhoneNumber}`,
      });
      await pool.query(
        `INSERT INTO webhook_deliveries (webhook_id, user_id, call_id, event, url, payload)
         VALUES (gen_random_uuid(), $1, $2, 'call-ended', 'https://shop.example', $3)`,
        [
          owner.id,
          callId,
          JSON.stringify({
            lead: { phone_number: phone },
            input_variables: { name: 'Eve' },
            transcript: `AI: ${clientPhoneNumber}`,
          }),
        ],
      );
    }
    await pool.query('INSERT INTO blocked_numbers (user_id, phone_number) VALUES ($1, $2)', [
      owner.id,
      phone,
    ]);
    const { id: assistantId } = await owner.create('assistant', assistantBody());
    await pool.query(
      `INSERT INTO conversations (uuid, assistant_id, type, customer_identifier)
       SELECT gen_random_uuid(), $1, 'widget', identifier FROM unnest($2::text[]) AS identifier`,
      [assistantId, [phone, phone.replace('+49', '49 '), otherPhone, `Eve ${phone}`]],
    );

    const { out, code } = await run('person', 'export', '--phone', phone.replace('+49', '+49 ('));
    assert.equal(code, 0);
    const data = JSON.parse(out) as Record<string, Record<string, unknown>[]>;
    assert.deepEqual(
      Object.entries(data).map(([title, records]) => [title, records.length]),
      [
        ['conversations', 2],
        ['calls', 1],
        ['calls_to_contacts', 1],
        ['leads', 1],
        ['secondary_contacts', 1],
        ['blocked_numbers', 1],
      ],
    );
    assert.equal(data['calls']?.[0]?.['transcript'], `AI: ${phone}`);
    assert.ok(!Object.keys(data['calls'][0]).some((name) => name.endsWith('token')), 'no capabilities');
    assert.deepEqual(data['leads']?.[0]?.['variables'], { name: 'Eve' });
    assert.partialDeepStrictEqual(data['leads'], [{ secondary_contacts: [{ phone_number: otherPhone }] }]);
    const aboutLead = { input_variables: { name: 'Eve' }, lead: { phone_number: phone } };
    assert.partialDeepStrictEqual(data['calls_to_contacts'], [
      { input_variables: { name: 'Eve' }, webhooks: [{ payload: aboutLead }] },
    ]);
    assert.ok(!out.includes(`AI: ${otherPhone}`), 'what was said to the contact is not about the person');
    assert.deepEqual(await json('person', 'delete', '--phone', phone, '--yes'), {
      conversations: 2,
      calls: 1,
      calls_to_contacts: 1,
      leads: 1,
      secondary_contacts: 1,
    });

    const { rows: recordings } = await service.running.database.pool.query(
      `SELECT data->>'recordingId' AS id FROM jobs.job
       WHERE name = 'delete-recording' AND data->>'recordingId' IN ($1, $2)`,
      [`recording of ${phone}`, `recording of ${otherPhone}`],
    );
    assert.deepEqual(recordings, [{ id: `recording of ${phone}` }]);
    const { rows } = await service.running.database.pool.query<{
      calls: string;
      leads: string;
      blocked: string;
    }>(
      `SELECT (SELECT string_agg(client_phone_number, ',') FROM calls WHERE user_id = $1) AS calls,
         (SELECT string_agg(id::text, ',') FROM leads WHERE user_id = $1) AS leads,
         (SELECT string_agg(phone_number, ',') FROM blocked_numbers WHERE user_id = $1) AS blocked`,
      [owner.id],
    );
    assert.deepEqual(rows, [{ calls: otherPhone, leads: String(kept.id), blocked: phone }]);
    const { rows: remains } = await pool.query(
      `SELECT input_variables AS variables,
         (SELECT count(*)::integer FROM webhook_deliveries WHERE call_id = calls.id) AS webhooks
       FROM calls WHERE user_id = $1`,
      [owner.id],
    );
    assert.deepEqual(remains, [{ variables: {}, webhooks: 0 }]);
  });
});
