import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { runCli } from '../../../src/service/cli/run-cli.ts';
import { readConfig } from '../../../src/service/config.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { rotateSecrets } from '../../../src/service/db/secrets/rotate-secrets.ts';
import { SecretBox } from '../../../src/service/db/secrets/secret-box.ts';
import { readSecretKeys } from '../../../src/service/db/secrets/secret-keys.ts';
import { serve } from '../../../src/service/serve.ts';
import { listTools, readTool } from '../../../src/service/tool/tool.ts';
import { readWebhookSecret } from '../../../src/service/webhook/webhook-secret.ts';
import { Owner } from '../../support/records/owner.ts';
import { signUserToken } from '../../support/records/sign-user-token.ts';
import { ServiceClient } from '../../support/service/service-client.ts';
import {
  atEnd,
  copyDatabase,
  createAssistant,
  newDatabase,
  startService,
  testDatabase,
} from '../../support/service/service.ts';
import type { Environment, TestService } from '../../support/service/service.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [first, second] = [key(1), key(2)];

const headers = [{ name: 'Authorization', value: 'Bearer hunter2-hunter2' }];

/** Creates an owner with a secret of every kind. */
async function createSecrets(service: TestService) {
  const owner = await Owner.create(service, '1');
  const assistant = await createAssistant(service, { userId: owner.id });
  const body = { name: 'look_up', description: 'Looks up.', endpoint: 'https://shop.example', method: 'GET' };
  const tool = await owner.create('tools', { ...body, headers });
  const webhookSecret = String((await owner.get('webhook-secret')).json['secret']);
  const token = await owner.post(`assistants/${assistant.id}/user-token-secret`, {});
  return { owner, assistant, tool, webhookSecret, tokenSecret: String(token.json['secret']) };
}
type Secrets = Awaited<ReturnType<typeof createSecrets>>;

/** Checks that a service can decrypt all secrets of an owner. */
async function assertReadable(service: TestService, secrets: Secrets): Promise<void> {
  const owner = secrets.owner.at(service);
  assert.deepEqual((await owner.get(`tools/${secrets.tool.id}`)).json['headers'], headers);
  assert.equal((await owner.get('webhook-secret')).json['secret'], secrets.webhookSecret);
  const userToken = signUserToken(secrets.tokenSecret, { sub: 'ada' });
  const opened = await service.post('/api/conversations', {
    assistant_id: secrets.assistant.uuid,
    user_token: userToken,
  });
  assert.equal(opened.status, 200, opened.text);
}

/** All rows of all tables as text, as a backup contains them. */
async function dump({ pool }: Database): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'jobs')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT whole_row::text AS text FROM ${name} AS whole_row`,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

/** Counts the stored secrets by the beginning of their stored form. */
async function countForms({ pool }: Database): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ form: string; count: number }>(
    `SELECT substring(value FROM '^(plain|v1:[0-9a-f]{8}):') AS form, count(*)::integer AS count
     FROM (SELECT headers AS value FROM tools UNION ALL SELECT secret FROM webhook_secrets
       UNION ALL SELECT key FROM user_token_keys) AS secrets GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ form, count }) => [form, count]));
}

/** Starts a service on a separate database, creates secrets in it, and stops it. */
async function databaseWithSecrets(env: Environment) {
  const database = { ...(await newDatabase()), ...env };
  const service = await startService(database);
  const secrets = await createSecrets(service);
  await service.running.close();
  return { env: database, secrets };
}

const { env: encrypted, secrets: stored } = await databaseWithSecrets({ SECRET_KEYS: first });

test('a copy of the database contains no secret', async () => {
  const service = await startService(await copyDatabase(encrypted));
  await assertReadable(service, stored);
  const text = await dump(service.running.database);
  assert.ok(text.includes(stored.assistant.uuid));
  const { webhookSecret, tokenSecret } = stored;
  for (const secret of ['hunter2', webhookSecret, webhookSecret.replace('whsec_', ''), tokenSecret]) {
    assert.ok(!text.includes(secret), secret);
  }
});

test('secrets can be decrypted with any of the keys, in any order', async () => {
  const service = await startService({
    ...(await copyDatabase(encrypted)),
    SECRET_KEYS: `${second}, ${first}`,
  });
  await assertReadable(service, stored);
});

test("an encrypted secret that was copied to another owner's row is not decrypted", async () => {
  const service = await startService(await copyDatabase(encrypted));
  const { pool } = service.running.database;
  const other = await createSecrets(service);
  await pool.query('UPDATE tools SET headers = (SELECT headers FROM tools WHERE id = $1) WHERE id = $2', [
    stored.tool.id,
    other.tool.id,
  ]);
  await pool.query(
    'UPDATE webhook_secrets SET secret = (SELECT secret FROM webhook_secrets WHERE user_id = $1) WHERE user_id = $2',
    [stored.owner.id, other.owner.id],
  );
  const { database } = service.running;
  const isRefused = {
    name: 'SecretError',
    message: /of the owner \d+ was changed, or copied from another row/,
  };
  const userId = other.owner.id;
  await assert.rejects(listTools(database, userId), isRefused);
  await assert.rejects(readTool(database, { id: other.tool.id, userId }), isRefused);
  await assert.rejects(readWebhookSecret(database, userId), isRefused);
  await assertReadable(service, stored);
});

test('an unencrypted secret that was changed by hand is not quoted in the error', async () => {
  const service = await startService(await copyDatabase(encrypted));
  const { database } = service.running;
  await database.pool.query("UPDATE tools SET headers = 'plain:hunter3'");
  await assert.rejects(listTools(database, stored.owner.id), (error: Error) => {
    assert.match(error.message, /^The value of tools\.headers of the owner \d+ is not "plain:" and JSON/);
    assert.ok(!inspect(error).includes('hunter3'));
    return true;
  });
});

test('the service does not start if no key decrypts its secrets, and says which are concerned', async () => {
  for (const keys of [second, undefined]) {
    await assert.rejects(startService({ ...encrypted, SECRET_KEYS: keys }), {
      name: 'MissingSecretKeyError',
      message:
        /^SECRET_KEYS does not contain a key that stored secrets are encrypted with: 1 in tools\.headers with the key [0-9a-f]{8}, 1 in user_token_keys\.key with .*, 1 in webhook_secrets\.secret with .*\. Add the missing key .* "secrets forget --key [0-9a-f]{8} --yes" removes what it encrypts\.$/,
    });
  }
});

test('the service starts after "secrets forget" with the id of a lost key', async () => {
  const lost = await copyDatabase(encrypted);
  const id = String(readSecretKeys(first)[0]?.id);
  const forget = async (keys: string, key: string) => {
    let output = '';
    const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
    const env = { ...lost, FSYNC: 'off', SECRET_KEYS: keys };
    return { code: await runCli(['secrets', 'forget', '--key', key, '--yes'], env, streams), output };
  };
  assert.match((await forget(first, id)).output, /^SECRET_KEYS contains the key \w+, so it is not lost\./);
  assert.deepEqual(await forget(second, 'lost'), {
    code: 2,
    output:
      'The id of a key has eight hexadecimal digits.\n"secrets forget --help" lists the options of the command.',
  });
  assert.deepEqual(await forget(second, id), {
    code: 0,
    output: 'tools.headers: 1 removed\nwebhook_secrets.secret: 1 removed\nuser_token_keys.key: 1 removed',
  });
  const service = await startService({ ...lost, SECRET_KEYS: second });
  const owner = stored.owner.at(service);
  assert.deepEqual((await owner.get(`tools/${stored.tool.id}`)).json['headers'], []);
  assert.notEqual((await owner.get('webhook-secret')).json['secret'], stored.webhookSecret);
});

test('"secrets rotate" encrypts all secrets with the first key', async () => {
  const env = { ...(await copyDatabase(encrypted)), SECRET_KEYS: `${second},${first}` };
  const service = await startService(env);
  const { database } = service.running;
  const rotate = async () => {
    let output = '';
    const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
    const code = await runCli(['secrets', 'rotate', '--json'], env, streams, database);
    assert.equal(code, 0, output);
    return JSON.parse(output) as { key: string; rotated: Record<string, number> };
  };
  const { key, rotated } = await rotate();
  assert.deepEqual(rotated, { 'tools.headers': 1, 'webhook_secrets.secret': 1, 'user_token_keys.key': 1 });
  assert.deepEqual(await countForms(database), { [`v1:${key}`]: 3 });
  assert.deepEqual((await rotate()).rotated, {
    'tools.headers': 0,
    'webhook_secrets.secret': 0,
    'user_token_keys.key': 0,
  });
  await service.running.close();
  // The old key is no longer needed.
  await assertReadable(await startService({ ...env, SECRET_KEYS: second }), stored);
});

test(
  'a service with an embedded database refuses "secrets rotate" with other keys than its own',
  { skip: testDatabase === 'postgres' && 'a command has a connection of its own' },
  async () => {
    const env = { ...(await copyDatabase(encrypted)), FSYNC: 'off' };
    await startService({ ...env, SECRET_KEYS: `${first},${second}` });
    const rotate = async (keys: string | undefined) => {
      let output = '';
      const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
      const code = await runCli(['secrets', 'rotate'], { ...env, SECRET_KEYS: keys }, streams);
      return { code, output };
    };
    for (const keys of [undefined, first, `${second},${first}`]) {
      const { code, output } = await rotate(keys);
      assert.equal(code, 1);
      assert.match(output, /^The running service has other SECRET_KEYS than this command\./);
    }
    const { code, output } = await rotate(`${first},${second}`);
    assert.equal(code, 0, output);
    assert.match(output, /^All secrets are encrypted with the key \w+\.$/m);
  },
);

test('a rotation in small batches keeps the changes that the service makes meanwhile', async () => {
  const env = { ...(await copyDatabase(encrypted)), SECRET_KEYS: `${second},${first}` };
  const service = await startService(env);
  const { database } = service.running;
  const owners = [stored];
  // Another process does not have the new key yet.
  const old = await serve(readConfig({ ...env, SECRET_KEYS: first, PORT: '0', WORKERS: 'off' }), {
    database: { ...database, secrets: new SecretBox(readSecretKeys(first)) },
    log: pino({ level: 'silent' }),
  });
  atEnd(() => old.close());
  const oldService = Object.assign(new ServiceClient(old.url), { running: old });
  for (let count = 0; count < 9; count++) owners.push(await createSecrets(oldService));
  assert.equal(Object.keys(await countForms(database)).length, 1);

  const changes = owners.map(async ({ owner, tool }, index) => {
    const value = `changed-${index}`;
    const answers = await Promise.all([
      owner.at(service).put(`tools/${tool.id}`, { headers: [{ name: 'X-Key', value }] }),
      owner.at(service).post('webhook-secret/rotate', {}),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    return (answers[1].json['data'] as { secret: string }).secret;
  });
  const [{ key }, ...changed] = await Promise.all([rotateSecrets(database, 2), ...changes]);
  assert.deepEqual(Object.keys(await countForms(database)), [`v1:${key}`]);
  for (const [index, { owner, tool }] of owners.entries()) {
    const read = (await owner.at(service).get(`tools/${tool.id}`)).json['headers'];
    assert.deepEqual(read, [{ name: 'X-Key', value: `changed-${index}` }]);
    assert.equal((await owner.at(service).get('webhook-secret')).json['secret'], changed[index]);
  }
});

test('an interrupted rotation is completed by the next one', async () => {
  const env = { ...(await copyDatabase(encrypted)), SECRET_KEYS: `${second},${first}` };
  const service = await startService(env);
  const { database } = service.running;
  let transactions = 0;
  const interrupted = Object.assign(Object.create(database.db) as typeof database.db, {
    transaction: ((...args: Parameters<typeof database.db.transaction>) => {
      if (++transactions === 2) throw new Error('The process was killed.');
      return database.db.transaction(...args);
    }) as typeof database.db.transaction,
  });
  await assert.rejects(rotateSecrets({ ...database, db: interrupted }), /was killed/);
  assert.equal(Object.keys(await countForms(database)).length, 2);
  await assertReadable(service, stored);
  const { key, rotated } = await rotateSecrets(database);
  assert.deepEqual(rotated, { 'tools.headers': 0, 'webhook_secrets.secret': 1, 'user_token_keys.key': 1 });
  assert.deepEqual(await countForms(database), { [`v1:${key}`]: 3 });
});

/** Starts a service; returns its warnings about secrets and its database's stored forms after `work`. */
async function warningsOf(env: Environment, work?: (database: Database) => Promise<unknown>) {
  const lines: string[] = [];
  const write = (chunk: Buffer, _: string, done: () => void) => {
    lines.push(chunk.toString());
    done();
  };
  const log = pino({ level: 'warn', base: null }, new Writable({ write }));
  const running = await serve(readConfig({ ...env, PORT: '0', FSYNC: 'off', WORKERS: 'off' }), { log });
  await work?.(running.database);
  const forms = await countForms(running.database);
  await running.close();
  return { warnings: lines.filter((line) => /secret/i.test(line)).join(''), forms };
}

test('without keys, secrets are stored unencrypted; rotation encrypts them once there is a key', async () => {
  const { env, secrets } = await databaseWithSecrets({});
  const without = await warningsOf(env, async (database) => {
    await assert.rejects(rotateSecrets(database), /^OperatorError: SECRET_KEYS is not set/);
  });
  assert.deepEqual(without.forms, { plain: 3 });
  // An embedded database of a first try does not warn.
  assert.match(
    without.warnings,
    testDatabase === 'postgres' ? /SECRET_KEYS is not set: .*unencrypted/ : /^$/,
  );

  const withKey = { ...env, SECRET_KEYS: first };
  const before = await warningsOf(withKey, rotateSecrets);
  assert.match(before.warnings, /"unencrypted":3.*secrets rotate/);
  assert.deepEqual(Object.values(before.forms), [3]);
  assert.equal((await warningsOf(withKey)).warnings, '');
  await assertReadable(await startService(withKey), secrets);
});
