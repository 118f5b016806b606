import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { listLanguages } from '../../../src/service/assistant/catalog.ts';
import { CommandError } from '../../../src/service/cli/command.ts';
import { connectModelCommand } from '../../../src/service/cli/model-commands.ts';
import { runCli } from '../../../src/service/cli/run-cli.ts';
import { setupCommand } from '../../../src/service/cli/setup-command.ts';
import { runInService } from '../../../src/service/cli/command-socket.ts';
import { invocation } from '../../../src/service/cli/invocation.ts';
import { readConfig } from '../../../src/service/config.ts';
import { settingsFile } from '../../../src/service/read-environment.ts';
import { processed } from '../../support/records/documents.ts';
import type { Owner } from '../../support/records/owner.ts';
import { startChildProcess } from '../../support/process/child-process.ts';
import { freePort } from '../../support/process/free-port.ts';
import { repository } from '../../support/repository.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import { startWebsite } from '../../support/servers/website.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { atEnd, newDatabase, startService } from '../../support/service/service.ts';
import type { Environment } from '../../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const site = await startWebsite();
const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  ALLOW_PRIVATE_ADDRESSES: site.host,
});
const folder = await mkdtemp(join(tmpdir(), 'setup-'));
atEnd(() => rm(folder, { recursive: true, force: true }));

interface StoredDocument {
  id: number;
  knowledgebase_id: number;
}

interface SetUp {
  api_key: string;
  assistant_id: number;
  assistant_uuid: string;
  snippet: string;
}

/** Runs a command on the database of the service. `answers` are typed in at its questions; of several, one each time. */
async function run(args: string[], answers?: Record<string, string | string[]>, env: Environment = {}) {
  const written = { out: '', err: '' };
  const streams = {
    out: (text: string) => (written.out += text),
    err: (text: string) => (written.err += text),
  };
  const asked: string[] = [];
  const said: string[] = [];
  const ask = (question: string) => {
    asked.push(question);
    const found = Object.entries(answers ?? {}).find(([start]) => question.startsWith(start));
    const answer = found?.[1] ?? '';
    return Promise.resolve(typeof answer === 'string' ? answer : (answer.shift() ?? ''));
  };
  const input = { env, ask: answers && ask, say: (text: string) => void said.push(text) };
  const code = await runCli(args, { DATA_DIR: folder }, streams, service.running.database, input);
  return { code, asked, said, ...written };
}

/** Runs the program in a folder, as an operator does. */
async function runProgram(cwd: string, env: Environment, ...args: string[]) {
  const child = startChildProcess(process.execPath, [join(repository, 'src/service/cli.ts'), ...args], {
    cwd,
    env: { LLM_BASE_URL: undefined, LLM_API_KEY: undefined, LLM_MODEL: undefined, ...env },
  });
  return { code: await child.ended, output: child.output() };
}

describe('setup', () => {
  it('makes a user, a key and an assistant that answers visitors', async () => {
    const ada = ['--name', 'Ada Ly', '--email', 'ada@setup.example', '--language', 'de'];
    const { code, out, err } = await run(['setup', ...ada, '--json']);
    assert.equal(code, 0, err);
    const made = JSON.parse(out) as SetUp;
    assert.match(
      made.snippet,
      new RegExp(`^<script src="http://\\S+/embed/${made.assistant_uuid}\\.js" async>`),
    );
    const opened = await service.post('/api/conversations', { assistant_id: made.assistant_uuid });
    assert.match(JSON.stringify(opened.json['history']), /Hallo! Wie kann ich Ihnen helfen\?/);
    const { status } = await service.send(String(opened.json['conversation_id']), 'Hallo');
    assert.equal(status, 200);
    const headers = { Authorization: `Bearer ${made.api_key}` };
    assert.equal((await service.get('/api/user/me', headers)).json['email'], 'ada@setup.example');
    const { json } = await service.get('/api/user/assistants', headers);
    const [assistant] = json as unknown as { id: number; uuid: string }[];
    assert.deepEqual([assistant?.id, assistant?.uuid], [made.assistant_id, made.assistant_uuid]);
  });

  it('prints the next commands in full', async () => {
    const { out } = await run(['setup', '--name', 'Gil', '--email', 'gil@setup.example']);
    assert.match(out, /^Assistant: [-\da-f]{36}\nIts id, for requests with the API key: \d+$/m);
    assert.match(out, /^ {2}npx node src\/service\/cli\.ts documents add --assistant \S+ --file <path>$/m);
    assert.match(out, /^ {2}npx node src\/service\/cli\.ts start$/m);
    assert.match(out, /1000 USD in the service's own ledger, enough for 100,000 messages/);
    const topUp = /^ {2}npx node src\/service\/cli\.ts (top-up .*)$/m.exec(out)?.[1] ?? '';
    const { out: balance, err } = await run(topUp.split(' '));
    assert.match(balance, /The new balance is 2000/, err);
  });

  it('asks for what is missing, and takes its suggestions for empty answers', async () => {
    const { code, asked, err } = await run(['setup', '--language', 'fr'], {
      'Your name': 'Bo',
      'Your e-mail': 'bo@setup.example',
    });
    assert.equal(code, 0, err);
    assert.deepEqual(
      asked.map((question) => question.split(/[:(]/)[0]?.trim()),
      [
        'Your name',
        'Your e-mail address',
        "The assistant's name [Assistant]",
        'Address of an OpenAI-compatible model',
      ],
    );
  });

  it('asks for no model if the environment has one, and tests that', async (context) => {
    for (const [name, value, address] of [
      ['LLM_BASE_URL', model.url, model.url],
      ['LLM_API_KEY', 'sk-1', 'https://api.openai.com/v1'],
    ] as const) {
      const { mock } = context.mock.method(globalThis, 'fetch', () =>
        Promise.resolve(Response.json({ choices: [] })),
      );
      const lea = ['setup', '--name', 'Lea', '--email', `${name.toLowerCase()}@setup.example`];
      const { code, asked, said, err } = await run(lea, {}, { [name]: value, LLM_MODEL: 'm-1' });
      mock.restore();
      assert.equal(code, 0, err);
      assert.deepEqual(asked, ["The assistant's name [Assistant]: ", 'Its language (en, de, fr, …) [en]: ']);
      assert.deepEqual(said, [`${name} is set, so setup asks for no model.`, `Testing m-1 at ${address}…`]);
      assert.deepEqual(
        mock.calls.map(({ arguments: [tested] }) => tested),
        [`${address}/chat/completions`],
      );
    }
  });

  it('creates nothing if the model in the environment refuses its key, and names the setting', async () => {
    model.behave({ status: 401 });
    const lou = ['setup', '--name', 'Lou', '--email', 'lou@setup.example'];
    const refused = await run(lou, undefined, { LLM_BASE_URL: model.url, LLM_API_KEY: 'wrong' });
    model.behave({});
    assert.equal(refused.code, 1);
    assert.match(refused.err, /the endpoint refuses the key \(401\)\. Check the key \(LLM_API_KEY\)\./);
    assert.equal((await run(lou)).code, 0);
  });

  it('only warns if the model in the environment does not answer yet, since its server may start later', async () => {
    const silent = `http://127.0.0.1:${await freePort()}/v1`;
    for (const [email, url, status, reason] of [
      ['silent', silent, undefined, 'does not respond (ECONNREFUSED).'],
      ['loading', model.url, 503, 'responded with 503.'],
    ] as const) {
      if (status !== undefined) model.behave({ status });
      const mia = ['setup', '--name', 'Mia', '--email', `${email}@setup.example`];
      const { code, said, err } = await run(mia, undefined, { LLM_BASE_URL: url, LLM_MODEL: 'm-1' });
      model.behave({});
      assert.equal(code, 0, err);
      assert.equal(
        said.at(-1),
        `The model does not answer: ${url}/chat/completions ${reason} It may still be starting. "start" tests it again.`,
      );
    }
  });

  it('creates nothing if the address in the environment is a web page', async () => {
    model.behave({ isWebPage: true });
    const ian = ['setup', '--name', 'Ian', '--email', 'ian@setup.example'];
    const refused = await run(ian, undefined, { LLM_BASE_URL: model.url });
    model.behave({});
    assert.equal(refused.code, 1);
    assert.match(refused.err, /is not an OpenAI-compatible endpoint\./);
    assert.equal((await run(ian)).code, 0);
  });

  it('asks again for what is not an e-mail address, before the next question', async () => {
    const answers = { 'Your e-mail address': ['eva', 'eva@setup.example'] };
    const { code, asked, said, err } = await run(['setup', '--name', 'Eva'], answers);
    assert.equal(code, 0, err);
    assert.deepEqual(asked.slice(0, 3), [
      'Your e-mail address: ',
      'Your e-mail address: ',
      "The assistant's name [Assistant]: ",
    ]);
    assert.deepEqual(said, ['"eva" is not an e-mail address.']);
  });

  it('asks again for a language that is not supported, and refuses one in an option before it tests the model', async () => {
    const wim = ['setup', '--name', 'Wim', '--email', 'wim@setup.example'];
    const { code, said, err } = await run(wim, { 'Its language': ['English', 'xx', 'DE'] });
    assert.equal(code, 0, err);
    const supported = (await listLanguages(service.running.database)).map(({ iso_2 }) => iso_2).sort();
    assert.deepEqual(
      said.map((text) =>
        /^(\S+) is not the code of a supported language\. Use one of (.*)\.$/.exec(text)?.slice(1),
      ),
      ['"English"', '"xx"'].map((given) => [given, supported.join(', ')]),
    );
    const refused = await run([...wim, ...['--language', 'xx', '--model-url', model.url, '--model', 'm-1']]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /^setup: --language: "xx" is not the code of a supported language/);
    assert.deepEqual(refused.said, []);
  });

  it('asks again for the model if its address is wrong or the test fails, and can go on without one', async () => {
    const fox = ['setup', '--name', 'Fox', '--email', 'fox@setup.example', '--language', 'en'];
    const silent = `http://127.0.0.1:${await freePort()}/v1`;
    const { code, asked, said, err } = await run(fox, {
      'Address of': ['localhost:11434/v1', silent, ''],
      'The name of the model': 'm-1',
    });
    assert.equal(code, 0, err);
    assert.equal(asked.filter((question) => question.startsWith('Address of')).length, 3);
    assert.equal(
      said[0],
      '"localhost:11434/v1" is not an http or https address, such as http://localhost:11434/v1.',
    );
    assert.equal(said[1], `Testing m-1 at ${silent}…`);
    assert.match(said[2] ?? '', /does not respond \(ECONNREFUSED\)/);
  });

  it("tests a model at OpenAI's own address if only a key is given, and keeps the key in its process", async (context) => {
    const cwd = process.cwd();
    process.chdir(await mkdtemp(join(folder, 'openai-')));
    const { mock } = context.mock.method(globalThis, 'fetch', () =>
      Promise.resolve(Response.json({ choices: [] })),
    );
    try {
      await writeFile(settingsFile, `LLM_BASE_URL="${model.url}"\n`);
      const given = { name: 'Ona', email: 'ona@setup.example', model: 'm-1', 'model-key': 'sk-1' };
      const input = { env: {}, say: () => undefined };
      const ask = () => Promise.resolve('');
      for (const answers of [undefined, ask]) {
        const prepared = await setupCommand.prepare?.(given, { ...input, ask: answers });
        assert.ok(prepared && !Object.values(prepared.values).includes('sk-1'));
        await prepared.finish?.();
        const stored = parseEnv(await readFile(settingsFile, 'utf8'));
        assert.deepEqual({ ...stored }, { LLM_MODEL: 'm-1', LLM_API_KEY: 'sk-1' });
      }
      assert.deepEqual(
        mock.calls.map(({ arguments: [address] }) => address),
        Array<string>(2).fill('https://api.openai.com/v1/chat/completions'),
      );
      mock.mockImplementation(() => Promise.resolve(new Response('', { status: 401 })));
      const answers = (question: string) =>
        Promise.resolve(question.startsWith('The name of the model') ? 'm-1' : '');
      const prepared = await setupCommand.prepare?.(given, { ...input, ask: answers });
      assert.ok(prepared && !Object.values(prepared.values).includes('sk-1'));
    } finally {
      process.chdir(cwd);
    }
  });

  it('takes the time zone of the machine, or UTC if Node does not know it, or the one in the option', async () => {
    const before = process.env['TZ'];
    try {
      for (const [at, zone, ...options] of [
        ['America/Lima', 'America/Lima'],
        [':/etc/localtime', 'UTC'],
        ['GMT+1', 'UTC'],
        ['America/Lima', 'Asia/Tokyo', '--timezone', 'Asia/Tokyo'],
      ] as const) {
        process.env['TZ'] = at;
        const email = `${zone}-${at.length}@setup.example`.replace('/', '-');
        const { code, out, err } = await run([
          ...['setup', '--name', 'Hal', '--email', email, '--json', ...options],
        ]);
        assert.equal(code, 0, err);
        const { api_key: key } = JSON.parse(out) as SetUp;
        const answer = await service.get('/api/user/assistants', { Authorization: `Bearer ${key}` });
        assert.equal((answer.json as unknown as { timezone: string }[])[0]?.timezone, zone);
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('names the missing option if there is no terminal', async () => {
    const { code, err } = await run(['setup', '--name', 'Cy']);
    assert.equal(code, 2);
    assert.match(err, /^setup: --email is required\./);
  });

  it('refuses a name or an e-mail address of more than 255 characters, before it tests the model', async () => {
    const long = 'x'.repeat(256);
    for (const [name, email, option] of [
      [long, 'eve@setup.example', 'name'],
      ['Eve', `${long}@setup.example`, 'email'],
    ] as const) {
      const { code, err } = await run([
        ...['setup', '--name', name, '--email', email],
        ...['--model-url', 'http://127.0.0.1:9/v1', '--model', 'm-1'],
      ]);
      assert.equal(code, 2);
      assert.match(err, new RegExp(`^setup: --${option}: An? .+ must have at most 255 characters\\.`));
    }
  });

  it('tests the model and stores its settings for the next start, readable only by their owner', async () => {
    const cwd = await mkdtemp(join(folder, 'with-model-'));
    const dee = ['--name', 'Dee', '--email', 'dee@setup.example'];
    const { code, output } = await runProgram(
      cwd,
      await newDatabase(),
      ...['setup', ...dee, '--model-url', model.url, '--model', 'm-1', '--model-key', 'sk-1'],
    );
    assert.equal(code, 0, output);
    const file = join(cwd, 'voice-assistant-chat.env');
    assert.equal(
      await readFile(file, 'utf8'),
      `LLM_BASE_URL="${model.url}"\nLLM_MODEL="m-1"\nLLM_API_KEY="sk-1"\n`,
    );
    assert.equal((await stat(file)).mode & 0o077, 0);
    assert.match(output, /Restart a running service/);
    assert.ok(!output.includes('sk-1'));
    assert.equal(model.requests.at(-1)?.authorization, 'Bearer sk-1');
  });

  it('stores a model without function calling, and says what assistants cannot do with it', async () => {
    const cwd = await mkdtemp(join(folder, 'without-tools-'));
    const ned = ['--name', 'Ned', '--email', 'ned@setup.example', '--model-url', model.url, '--model', 'm-1'];
    model.behave({ refusesTools: 'library/m-1 does not support tools' });
    const { code, output } = await runProgram(cwd, await newDatabase(), 'setup', ...ned);
    model.behave({});
    assert.equal(code, 0, output);
    assert.match(output, /The model answers\./);
    assert.match(output, /The model "m-1" has no function calling: assistants answer without their tools\./);
  });

  it('refuses an invalid e-mail address before it tests the model', async () => {
    const requests = model.requests.length;
    const hal = ['--name', 'Hal', '--email', 'hal'];
    const { code, err } = await run(['setup', ...hal, '--model-url', model.url, '--model', 'm-1']);
    assert.equal(code, 2);
    assert.match(err, /^setup: --email: "hal" is not an e-mail address\./);
    assert.equal(model.requests.length, requests);
  });

  it('stores no model if the user exists', async () => {
    const cwd = await mkdtemp(join(folder, 'existing-user-'));
    const env = await newDatabase();
    const jo = ['setup', '--name', 'Jo', '--email', 'jo@setup.example'];
    await runProgram(cwd, env, ...jo);
    const again = await runProgram(cwd, env, ...jo, '--model-url', model.url, '--model', 'm-1');
    assert.equal(again.code, 1, again.output);
    assert.match(again.output, /already a user/);
    await assert.rejects(stat(join(cwd, 'voice-assistant-chat.env')), { code: 'ENOENT' });
  });

  it('names the commands for more if the user exists', async () => {
    const ida = ['setup', '--name', 'Ida', '--email', 'ida@setup.example'];
    await run(ida);
    const { code, err } = await run(ida);
    assert.equal(code, 1);
    assert.match(err, /already a user .*"assistants create".*"model connect"/);
  });

  it('stores nothing and says why if the model refuses the key or does not respond', async () => {
    const cwd = await mkdtemp(join(folder, 'without-model-'));
    const env = await newDatabase();
    const eve = ['setup', '--name', 'Eve', '--email', 'eve@setup.example', '--model', 'm-1'];
    model.behave({ status: 401 });
    const refused = await runProgram(cwd, env, ...eve, '--model-url', model.url, '--model-key', 'wrong');
    model.behave({});
    assert.equal(refused.code, 1);
    assert.match(refused.output, /the endpoint refuses the key \(401\)/);
    model.behave({ status: 429 });
    const limited = await runProgram(cwd, env, ...eve, '--model-url', model.url, '--model-key', 'k');
    model.behave({ status: 404 });
    const misplaced = await runProgram(cwd, env, ...eve, '--model-url', model.url, '--model-key', 'k');
    model.behave({});
    assert.match(limited.output, /429\. The rate limit or the quota of its account is used up\./);
    assert.match(misplaced.output, /404\. Check --model-url, which often ends in \/v1,/);
    const silent = await runProgram(
      cwd,
      env,
      ...eve,
      '--model-url',
      `http://127.0.0.1:${await freePort()}/v1`,
      '--model-key',
      'k',
    );
    assert.match(silent.output, /does not respond \(ECONNREFUSED\)/);
    const users = await runProgram(cwd, env, 'users', 'list', '--json');
    assert.equal(users.output, '[]\n');
  });
});

describe('model connect', () => {
  it('tests a model and stores its settings, after setup and without a new user', async () => {
    const cwd = await mkdtemp(join(folder, 'connect-'));
    const env = await newDatabase();
    const connect = ['model', 'connect', '--model-url', model.url, '--model', 'm-2', '--model-key', 'sk-2'];
    const { code, output } = await runProgram(cwd, env, ...connect);
    assert.equal(code, 0, output);
    assert.match(output, /Restart a running service/);
    assert.ok(!output.includes('sk-2'));
    assert.equal(
      await readFile(join(cwd, 'voice-assistant-chat.env'), 'utf8'),
      `LLM_BASE_URL="${model.url}"\nLLM_MODEL="m-2"\nLLM_API_KEY="sk-2"\n`,
    );
    assert.equal((await runProgram(cwd, env, 'users', 'list', '--json')).output, '[]\n');
  });

  it('keeps the other settings of the file, whatever their values contain', async () => {
    const cwd = await mkdtemp(join(folder, 'keep-'));
    const file = join(cwd, 'voice-assistant-chat.env');
    await writeFile(file, 'A=\'{"it": "is"}\'\nB=\'back\\slash\'\nC=`it\'s "both"`\nD="two\\nlines"\n');
    const before = parseEnv(await readFile(file, 'utf8'));
    const connect = ['model', 'connect', '--model-url', model.url, '--model', 'm-2', '--model-key', 'a\\b'];
    const { code, output } = await runProgram(cwd, await newDatabase(), ...connect);
    assert.equal(code, 0, output);
    const after = parseEnv(await readFile(file, 'utf8'));
    const stored = { LLM_BASE_URL: model.url, LLM_MODEL: 'm-2', LLM_API_KEY: 'a\\b' };
    assert.deepEqual({ ...after }, { ...before, ...stored });
  });

  it('keeps the comments and the order of the file', async () => {
    const cwd = await mkdtemp(join(folder, 'comments-'));
    const file = join(cwd, 'voice-assistant-chat.env');
    await writeFile(file, '# Port\nPORT=8080\n\n# Model\nexport LLM_MODEL = m-1\nLLM_API_KEY=sk-1\n# End');
    const connect = ['model', 'connect', '--model-url', model.url, '--model', 'm-2'];
    const { code, output } = await runProgram(cwd, await newDatabase(), ...connect);
    assert.equal(code, 0, output);
    assert.equal(
      await readFile(file, 'utf8'),
      `# Port\nPORT=8080\n\n# Model\nLLM_MODEL="m-2"\n# End\nLLM_BASE_URL="${model.url}"\n`,
    );
  });

  it('keeps a value of several lines that contains a setting', async () => {
    const cwd = await mkdtemp(join(folder, 'lines-'));
    const file = join(cwd, 'voice-assistant-chat.env');
    await writeFile(file, "NOTE='one\nLLM_MODEL=m-1\nthree'\n");
    const connect = ['model', 'connect', '--model-url', model.url, '--model', 'm-2'];
    const { code, output } = await runProgram(cwd, await newDatabase(), ...connect);
    assert.equal(code, 0, output);
    const after = { NOTE: 'one\nLLM_MODEL=m-1\nthree', LLM_BASE_URL: model.url, LLM_MODEL: 'm-2' };
    assert.deepEqual({ ...parseEnv(await readFile(file, 'utf8')) }, after);
  });

  it('refuses a model that the next start would not use, because the environment has other settings', async () => {
    const cwd = await mkdtemp(join(folder, 'environment-'));
    const file = join(cwd, 'voice-assistant-chat.env');
    const before = 'LLM_BASE_URL="http://127.0.0.1:9/v1"\n';
    await writeFile(file, before);
    const requests = model.requests.length;
    const connect = ['model', 'connect', '--model-url', model.url, '--model', 'm-2'];
    const database = await newDatabase();
    for (const env of [
      { LLM_API_KEY: 'sk-1' },
      // As in the file, but only the file would change.
      { LLM_BASE_URL: 'http://127.0.0.1:9/v1' },
    ]) {
      const { code, output } = await runProgram(cwd, { ...database, ...env }, ...connect);
      assert.equal(code, 1, output);
      const [name = ''] = Object.keys(env);
      assert.match(output, new RegExp(`^The environment has another ${name}, .* Unset it`));
      assert.ok(!output.includes('sk-1'));
    }
    assert.equal(model.requests.length, requests);
    assert.equal(await readFile(file, 'utf8'), before);

    // The stored name and key would be ignored.
    const address = { ...database, LLM_BASE_URL: model.url };
    const partly = await runProgram(cwd, address, ...connect, '--model-key', 'sk-2');
    assert.equal(partly.code, 1, partly.output);
    assert.match(
      partly.output,
      /^The environment has a model without this LLM_MODEL, LLM_API_KEY, .* Unset it/,
    );
    assert.equal(model.requests.length, requests);

    const same = { ...database, LLM_BASE_URL: model.url, LLM_MODEL: 'm-2', LLM_API_KEY: '' };
    const { code, output } = await runProgram(cwd, same, ...connect);
    assert.equal(code, 0, output);
  });

  it('is ignored by a start with another model in the environment, which says so', async () => {
    const cwd = await mkdtemp(join(folder, 'ignored-'));
    await writeFile(join(cwd, settingsFile), 'LLM_MODEL=m-1\nLLM_API_KEY=sk-1\n');
    // The start ends by itself, since no machine has this address.
    const env = { ...(await newDatabase()), LLM_BASE_URL: model.url, HOST: '192.0.2.7' };
    const { output } = await runProgram(cwd, env, 'start');
    const said =
      'the environment has a model, so LLM_API_KEY, LLM_MODEL in voice-assistant-chat.env are ignored';
    assert.equal(output.split(said).length, 2, output);
    assert.match(output, /^Cannot listen on port 3000 of 192\.0\.2\.7/m);
  });

  it('asks for what is missing', async () => {
    const cancel = () => Promise.reject(new CommandError('Cancelled.'));
    const answers = ['ftp://model.example', model.url];
    const asked: string[] = [];
    const said: string[] = [];
    const ask = (question: string) => {
      asked.push(question);
      const answer = answers.shift();
      return answer === undefined ? cancel() : Promise.resolve(answer);
    };
    const input = { env: {}, ask, say: (text: string) => void said.push(text) };
    await assert.rejects(connectModelCommand.prepare?.({}, input) ?? Promise.resolve(), /Cancelled/);
    assert.deepEqual(asked, [
      'Address of an OpenAI-compatible model [https://api.openai.com/v1]: ',
      'Address of an OpenAI-compatible model [https://api.openai.com/v1]: ',
      'The name of the model: ',
    ]);
    assert.match(said.join('\n'), /^"ftp:\/\/model\.example" is not an http or https address, such as \S+$/);
  });
});

describe('a user who is not named', () => {
  it('is the only one, or else the command says how to name one', async () => {
    const env = await newDatabase();
    const list = () => runProgram(folder, env, 'assistants', 'list', '--json');
    const add = (name: string) =>
      runProgram(folder, env, ...['users', 'create', '--name', name, '--email', `${name}@setup.example`]);
    assert.match((await list()).output, /^There is no user\. "setup" creates the first one\.\n/);
    await add('joy');
    assert.deepEqual(await list(), { code: 0, output: '[]\n' });
    await add('kai');
    const { code, output } = await list();
    assert.equal(code, 2);
    assert.match(output, /^There are several users\. Name one with --user; "users list" shows them\./);
  });
});

describe('assistants create', () => {
  it('creates an assistant that calls customers, and refuses another type', async () => {
    const { out: made } = await run(['setup', '--name', 'Rex', '--email', 'rex@setup.example', '--json']);
    const { api_key: key } = JSON.parse(made) as SetUp;
    const create = ['assistants', 'create', '--user', 'rex@setup.example', '--name', 'Kim', '--type'];
    const { code, out, err } = await run([...create, 'outbound']);
    assert.equal(code, 0, err);
    const id = Number(/^Created assistant \S+\. Its id is (\d+)\.$/.exec(out)?.[1]);
    const call = { phone_number: '+4915110000000', assistant_id: id };
    const answer = await service.post('/api/user/make_call', call, { Authorization: `Bearer ${key}` });
    assert.equal(answer.status, 200, answer.text);
    const refused = await run([...create, 'both']);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /^--type must be inbound or outbound\./);
  });
});

describe('documents', () => {
  /** An assistant, with the commands for its documents. */
  async function createShop(name: string) {
    const email = `${name.toLowerCase()}@setup.example`;
    const { out } = await run(['setup', '--name', name, '--email', email, '--json']);
    const { api_key: key, assistant_uuid: uuid } = JSON.parse(out) as SetUp;
    const documents = (command: string, ...args: string[]) =>
      run(['documents', command, '--assistant', uuid, ...args]);
    const bearer = { Authorization: `Bearer ${key}` };
    const file = join(folder, 'practice.md');
    /** Adds a document. Returns it before it is processed. */
    const start = async (...args: string[]) => {
      const { code, out, err } = await documents('add', '--json', ...args);
      assert.equal(code, 0, err);
      const added = JSON.parse(out) as StoredDocument & { replaces: number[] };
      const path = `/api/user/knowledgebases/${added.knowledgebase_id}/documents/${added.id}`;
      const owner = { get: () => service.get(path, bearer) } as unknown as Owner;
      const status = async () => (await processed(owner, added.knowledgebase_id, added.id)).status;
      const rename = (name: string) => service.request('PUT', path, { name }, bearer);
      return { ...added, status, rename };
    };
    const add = async (text: string, ...args: string[]) => {
      await writeFile(file, text);
      const { id, replaces, status } = await start('--file', file, ...args);
      return { id, replaces, status: await status() };
    };
    const list = async () => {
      const listed = JSON.parse((await documents('list', '--json')).out) as StoredDocument[];
      return listed.map(({ id }) => id);
    };
    /** The ids in the audit log for `documents add`, oldest first. */
    const recorded = async () => {
      const { json } = await service.get('/api/user/audit-log', bearer);
      const entries = json['data'] as { operation: string; object_id: string }[];
      return entries
        .filter(({ operation }) => operation === 'documents add')
        .map((entry) => +entry.object_id);
    };
    return { uuid, file, documents, start, add, list, recorded };
  }

  it('add refuses a second document of the same name and type, and names the ways to add it', async () => {
    const { file, documents, add, list, recorded } = await createShop('Lee');
    const first = await add('A cleaning costs 80 euros.');
    const { code, err } = await documents('add', '--file', file);
    assert.equal(code, 1);
    assert.equal(
      err.trim(),
      `The knowledge base already has a document "practice" of the type txt (id ${first.id}). Replace it with --replace, or set another name with --name.`,
    );
    assert.deepEqual(await list(), [first.id]);
    assert.deepEqual(await recorded(), [first.id]);
    const named = await add('A cleaning takes an hour.', '--name', 'duration');
    assert.deepEqual(await list(), [first.id, named.id]);
  });

  it('add --replace replaces the document of the same name and type once the new one is active', async () => {
    const { uuid, file, documents, add, list, recorded } = await createShop('Nia');
    const first = await add('A cleaning costs 80 euros.', '--replace');
    assert.deepEqual([first.replaces, first.status], [[], 'active']);
    const tooLong = await add('# a\n\nb\n\n'.repeat(20_001), '--replace');
    assert.deepEqual([tooLong.replaces, tooLong.status], [[first.id], 'failed']);
    assert.deepEqual(await list(), [first.id, tooLong.id]);

    const second = await add('A cleaning costs 95 euros.', '--replace');
    assert.deepEqual([second.replaces, second.status], [[first.id, tooLong.id], 'active']);
    assert.deepEqual(await list(), [second.id]);
    assert.deepEqual(
      (await recorded()).sort((a, b) => a - b),
      [...[first.id, first.id, first.id], ...[tooLong.id, tooLong.id, second.id]],
    );
    const opened = await service.post('/api/conversations', { assistant_id: uuid });
    const { json } = await service.send(String(opened.json['conversation_id']), 'What does a cleaning cost?');
    assert.match(String(json['message']), /95 euros/);
    assert.doesNotMatch(String(json['message']), /80 euros/);

    const { out } = await documents('add', '--file', file, '--replace');
    assert.match(
      out,
      new RegExp(
        `^Added "practice"\\. .*\\nUntil it is active, .* previous document \\(id ${second.id}\\)\\.$`,
        'm',
      ),
    );
  });

  it('add --replace says that it deleted a document that was not active', async () => {
    const { file, documents, add } = await createShop('Max');
    const failed = await add('# a\n\nb\n\n'.repeat(20_001));
    assert.equal(failed.status, 'failed');
    await writeFile(file, 'A cleaning costs 80 euros.');
    const { out } = await documents('add', '--file', file, '--replace');
    assert.match(out, new RegExp(`^Deleted the previous document, .* \\(id ${failed.id}\\)\\.$`, 'm'));
    assert.doesNotMatch(out, /Until/);
  });

  it('of two add --replace at once, the second replaces the document of the first', async () => {
    const { file, start, list } = await createShop('Moe');
    await writeFile(file, 'A cleaning costs 80 euros.');
    const before = await start('--file', file);
    await before.status();
    const added = await Promise.all([1, 2].map(() => start('--file', file, '--replace')));
    const [first, second] = added.sort((a, b) => a.id - b.id);
    assert.ok(first && second);
    assert.ok(second.replaces.includes(first.id));
    assert.equal(await second.status(), 'active');
    assert.deepEqual(await list(), [second.id]);
  });

  it('keeps a document that is renamed before the one that replaces it is active', async () => {
    const { start, list } = await createShop('Mia');
    site.pages.set('/slow', '<p>A cleaning costs 80 euros.</p>');
    const first = await start('--url', `${site.origin}/slow`);
    assert.equal(await first.status(), 'active');
    const opened = Promise.withResolvers<undefined>();
    site.gate = opened.promise;
    const second = await start('--url', `${site.origin}/slow`, '--replace');
    assert.deepEqual(second.replaces, [first.id]);
    assert.equal((await first.rename('Prices of last year')).status, 200);
    opened.resolve(undefined);
    site.gate = undefined;
    assert.equal(await second.status(), 'active');
    assert.deepEqual(await list(), [first.id, second.id]);
  });

  it('remove deletes a document of this assistant only', async () => {
    const { documents, add, list } = await createShop('Ole');
    const other = await createShop('Pia');
    const { id } = await add('A cleaning costs 80 euros.');
    for (const [remove, given] of [
      [other.documents, String(id)],
      [documents, 'practice'],
    ] as const) {
      const { code, err } = await remove('remove', '--id', given);
      assert.equal(code, 1);
      assert.match(err, /^The assistant has no document with the id .* "documents list --assistant/);
    }
    assert.deepEqual(await list(), [id]);
    const { code, out } = await documents('remove', '--id', String(id));
    assert.deepEqual([code, out], [0, 'Removed "practice".']);
    assert.deepEqual(await list(), []);
  });
});

describe('while a service uses the embedded database, the command line', async () => {
  const dataDir = await mkdtemp(join(folder, 'embedded-'));
  const env = { DATA_DIR: dataDir, DATABASE_URL: undefined };
  const running = await startServiceProcess(env);
  const command = (...args: string[]) => runProgram(folder, env, ...args);
  /** The owner's key and assistant, which the first test creates. */
  let key = '';
  let uuid = '';

  const processedDocument = ({ id, knowledgebase_id: base }: StoredDocument) => {
    const path = `/api/user/knowledgebases/${base}/documents/${id}`;
    const owner = { get: () => running.get(path, { Authorization: `Bearer ${key}` }) } as unknown as Owner;
    return processed(owner, base, id);
  };

  it('adds a user, a key and an assistant', async () => {
    const fay = ['--name', 'Fay', '--email', 'fay@setup.example', '--balance', '5'];
    const user = await command('users', 'create', ...fay);
    assert.equal(user.code, 0, user.output);
    key = (await command('keys', 'create', '--user', '1', '--name', 'Test')).output.trim();
    const created = await command('assistants', 'create', '--user', '1', '--name', 'Kim', '--json');
    ({ uuid } = JSON.parse(created.output) as { uuid: string });
    for (const name of ['commands.sock', 'database'])
      assert.equal((await stat(join(dataDir, name))).mode & 0o077, 0, name);
  });

  it('prints the next commands as they are called here, not as the service was', async () => {
    const values = { name: 'Flo', email: 'flo@setup.example', invocation: 'node --env-file=chat.env bin.js' };
    const input = { env: {}, ask: undefined, say: () => undefined };
    assert.equal((await setupCommand.prepare?.(values, input))?.values['invocation'], invocation);
    const config = readConfig(env);
    const output = await runInService(config, { name: 'setup', values });
    assert.match(output?.lines.join('\n') ?? '', /^ {2}node --env-file=chat\.env bin\.js start$/m);
  });

  it('adds a document, with which the service answers', async () => {
    const file = join(folder, 'hours.md');
    await writeFile(file, 'We are open Monday to Friday from 9 to 18.\n');
    const added = await command('documents', 'add', '--assistant', uuid, '--file', file, '--json');
    assert.equal(added.code, 0, added.output);
    const document = JSON.parse(added.output) as StoredDocument;
    assert.equal((await processedDocument(document)).status, 'active');
    const { json } = await running.send(await running.open(uuid), 'Are you open on Monday?');
    assert.match(String(json['message']), /from 9 to 18/);

    const listed = await command('assistants', 'list', '--user', '1', '--json');
    assert.deepEqual(
      (JSON.parse(listed.output) as { uuid: string; knowledgebase_id: number }[]).map((each) => [
        each.uuid,
        each.knowledgebase_id,
      ]),
      [[uuid, document.knowledgebase_id]],
    );
    const documents = await command('documents', 'list', '--assistant', uuid, '--json');
    assert.deepEqual(JSON.parse(documents.output), [
      { id: document.id, name: 'hours', type: 'txt', status: 'active' },
    ]);
  });

  it('says why a document failed', async () => {
    const local = ['--assistant', uuid, '--url', 'http://127.0.0.1:9/'];
    const website = await command('documents', 'add', ...local, '--json');
    const document = JSON.parse(website.output) as StoredDocument;
    assert.equal((await processedDocument(document)).status, 'failed');
    const { output } = await command('documents', 'list', '--assistant', uuid);
    assert.match(output, /website +failed +The address belongs to a private network/);
  });

  it('refuses a file that cannot be read, and a second user with the same email address', async () => {
    const file = join(folder, 'none.md');
    const missing = await command('documents', 'add', '--assistant', uuid, '--file', file);
    assert.deepEqual([missing.code, missing.output], [1, `${file} cannot be read (ENOENT).\n`]);
    const twice = await command('users', 'create', '--name', 'Fay', '--email', 'fay@setup.example');
    assert.equal(twice.code, 1);
    assert.match(twice.output, /There is already a user/);
  });

  it('refuses texts beyond the limits of the interface in one sentence', async () => {
    const create = ['assistants', 'create', '--user', '1', '--name'];
    const long = 'x'.repeat(256);
    const hours = join(folder, 'limits.md');
    await writeFile(hours, 'We are open.');
    for (const [args, message] of [
      [[...create, long], 'The name field must not be greater than 255 characters.'],
      [
        [...create, 'Kim', '--greeting', long],
        'The initial message field must not be greater than 200 characters.',
      ],
      [
        ['documents', 'add', '--assistant', uuid, '--file', hours, '--name', long],
        'The name of a document must not be greater than 255 characters. Set it with --name.',
      ],
      [
        ['documents', 'add', '--assistant', uuid, '--url', `https://shop.example/${long}`],
        'The name of a document must not be greater than 255 characters. Set it with --name.',
      ],
    ] as const) {
      const { code, output } = await command(...args);
      assert.deepEqual([code, output], [1, `${message}\n`]);
    }
  });

  it('refuses an unknown language in one sentence', async () => {
    const create = ['assistants', 'create', '--user', '1', '--name', 'Kim', '--language', 'Klingon'];
    const { code, output } = await command(...create);
    assert.equal(code, 2);
    assert.match(
      output,
      /^"klingon" is not the code of a supported language\. Use one of [^\n]*\n"assistants create --help" lists the options of the command\.\n$/,
    );
  });
});
