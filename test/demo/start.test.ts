import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startChildProcess } from '../support/process/child-process.ts';
import { repository } from '../support/repository.ts';
import { settingsFile } from '../../src/service/read-environment.ts';
import { demoAssistants } from '../../src/service/seed/demo-assistants.ts';

interface Started {
  process: ChildProcess;
  url: string;
  apiKey: string;
  assistants: unknown;
}

const script = fileURLToPath(new URL('../../demo/start.ts', import.meta.url));
const children = new Set<ChildProcess>();
let dataDir: string;
/** A folder with a placeholder of the built widget, so that the tests need no build. */
let widgetDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'demo-start-'));
  widgetDir = await mkdtemp(join(tmpdir(), 'demo-widget-'));
  for (const file of ['embed.js', 'voice-assistant-chat.js'])
    await writeFile(join(widgetDir, file), '// built\n');
});

after(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of [dataDir, widgetDir]) await rm(folder, { recursive: true, force: true });
});

function spawnStart(env: Record<string, string>, ...args: string[]): ChildProcess {
  const variables = {
    PATH: process.env['PATH'],
    PORT: '0',
    DATA_DIR: dataDir,
    WIDGET_DIR: widgetDir,
    ...env,
  };
  const child = spawn(process.execPath, [script, ...args], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Starts the demo and waits for its line of JSON. */
async function start(env: Record<string, string> = {}): Promise<Started> {
  const child = spawnStart(env, '--json');
  const errors = text(child.stderr ?? assert.fail());
  const lines = createInterface({ input: child.stdout ?? assert.fail() });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [undefined])])) as [
    string | undefined,
  ];
  if (line === undefined) assert.fail(`The demo ended before it was ready: ${await errors}`);
  return { process: child, ...(JSON.parse(line) as Omit<Started, 'process'>) };
}

/** Stops a demo, as a terminal or a supervisor does; returns its exit code. */
async function stop(
  { process: child }: Started,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM',
): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}

/** Starts a demo that fails to start; returns its exit code and output. */
async function failToStart(env: Record<string, string>, ...args: string[]) {
  const child = spawnStart(env, ...args);
  const [errors, output, [code]] = await Promise.all([
    text(child.stderr ?? assert.fail()),
    text(child.stdout ?? assert.fail()),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { errors, output, code };
}

describe('npm start', () => {
  it('prints one line of JSON, serves shop and assistants, and keeps its key across a restart', async () => {
    const first = await start();
    const { url, apiKey, assistants } = first;
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(
      assistants,
      demoAssistants.map(({ uuid, name, shows }) => ({ uuid, name, shows })),
    );

    const shop = await fetch(url);
    assert.match(await shop.text(), /Nordkamm/);
    for (const path of ['/embed.js', '/voice-assistant-chat.js', '/assistants.json', '/healthz'])
      assert.equal((await fetch(url + path)).status, 200, path);
    const user = { headers: { Authorization: `Bearer ${apiKey}` } };
    assert.equal((await fetch(`${url}/api/user/me`, user)).status, 200);
    assert.equal(await stop(first, 'SIGINT'), 0);

    const second = await start();
    assert.equal(second.apiKey, apiKey);
    assert.equal(await stop(second), 0);
  });

  it('prints JSON alone with --silent, and ends with its children if only npm receives SIGTERM', async () => {
    const npm = startChildProcess('npm', ['start', '--silent', '--', '--json'], {
      cwd: repository,
      env: { PORT: '0', DATA_DIR: join(dataDir, 'npm'), WIDGET_DIR: widgetDir },
    });
    const { url } = await npm.waitForLine('stdout', (line) => JSON.parse(line) as { url: string });
    process.kill(npm.pid, 'SIGTERM');
    // Its output closes when the last process that can write to it has ended.
    await npm.ended;
    await assert.rejects(fetch(`${url}/healthz`));
  });

  it('stops although a faulty service keeps a request open', async () => {
    const demo = await start();
    const pending = fetch(`${demo.url}/faults/timeout/api/conversations`, { method: 'POST' });
    const settled = pending.then(
      () => 'answered',
      () => 'refused',
    );
    // When this is answered, the request above has arrived, since the server handles loopback requests in order.
    await fetch(`${demo.url}/healthz`);
    assert.equal(await stop(demo), 0);
    assert.notEqual(await settled, undefined);
  });

  it('reports without a stack trace that the data folder is in use', async () => {
    const running = await start();
    const { errors, output, code } = await failToStart({}, '--json');
    assert.equal(await stop(running), 0);
    assert.equal(code, 1);
    assert.equal(output, '');
    assert.match(errors, new RegExp(`${dataDir}.* in use|in use.*${dataDir}`));
    assert.doesNotMatch(errors, /\n\s+at /);
  });

  it('reports in one line that the port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const { errors, output, code } = await failToStart({ PORT: port }, '--json');
    server.close();
    assert.equal(code, 1);
    assert.equal(output, '');
    assert.match(errors, new RegExp(`^Port ${port} is in use\\..*\\n$`));
  });

  it('names the invalid variable', async () => {
    const { errors, code } = await failToStart({ PORT: 'often' });
    assert.equal(code, 1);
    assert.match(errors, /^PORT must be .*\n$/);
  });

  it('reads the settings file in its folder', async () => {
    await writeFile(join(dataDir, settingsFile), 'LLM_BASE_URL="often"\n');
    const demo = startChildProcess(process.execPath, [script], {
      cwd: dataDir,
      env: { LLM_BASE_URL: undefined, PORT: '0', DATA_DIR: dataDir, WIDGET_DIR: widgetDir },
    });
    assert.equal(await demo.ended, 1);
    assert.match(demo.output(), /^LLM_BASE_URL must be .*\n$/);
  });

  it('names a folder without a built widget, instead of building another one', async () => {
    const { errors, code } = await failToStart({ WIDGET_DIR: tmpdir() });
    assert.equal(code, 1);
    assert.match(errors, /^WIDGET_DIR names .* has no voice-assistant-chat\.js\. .*\n$/);
  });

  it('names an unknown option', async () => {
    const { errors, code } = await failToStart({}, '--yaml');
    assert.equal(code, 1);
    assert.match(errors, /--yaml/);
    assert.doesNotMatch(errors, /\n\s+at /);
  });

  it('prints the URLs and a table of the assistants without --json', async () => {
    const child = spawnStart({});
    const exited = once(child, 'exit');
    const errors = text(child.stderr ?? assert.fail());
    let printed = '';
    for await (const line of createInterface({ input: child.stdout ?? assert.fail() })) {
      printed += `${line}\n`;
      if (line.includes('Ctrl+C')) child.kill('SIGINT');
    }
    await exited;
    assert.equal(await errors, '');
    assert.match(printed, /Gallery\s+http.*\/gallery\.html/);
    for (const { uuid, name } of demoAssistants)
      assert.ok(printed.includes(`${name}  `) && printed.includes(uuid));
  });
});
