import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { ServiceClient } from '../support/service/service-client.ts';
import {
  embeddedIn,
  installNode,
  installService,
  oldestNode,
  programIn,
  runToEnd,
  startProgram,
  temporaryFolder,
  waitForService,
} from './installed-service.ts';

const folder = await installService();
const program = programIn(folder);

/** npx runs the Node that it finds first. */
const pathWithThisNode = [dirname(process.execPath), process.env['PATH']].join(delimiter);

describe('the published service', () => {
  it('contains the examples for operators', async () => {
    const content = join(folder, 'node_modules/voice-assistant-chat-service/dist');
    const examples = ['deploy/voice-assistant-chat.service', 'deploy/nginx.conf', 'monitoring/alerts.yml'];
    for (const name of examples) {
      assert.equal(
        await readFile(join(content, name), 'utf8'),
        await readFile(join(repository, 'docs', name), 'utf8'),
      );
    }
  });

  for (const { title, node } of [
    { title: 'the oldest Node that it names', node: async () => installNode(await oldestNode()) },
    { title: 'the Node that runs the tests', node: () => Promise.resolve(process.execPath) },
  ]) {
    it(`answers a chat from its documents on ${title}, and stops on SIGTERM`, async () => {
      const executable = await node();
      const env = embeddedIn(await temporaryFolder());
      const command = async (...args: string[]) => {
        const { status, output } = await runToEnd(executable, [program, ...args, '--json'], {
          env: { ...env, NODE_NO_WARNINGS: '1' },
        });
        assert.equal(status, 0, output);
        return JSON.parse(output) as Record<string, unknown>;
      };
      const setUp = await command('setup', '--name', 'Ada Ly', '--email', 'ada@example.com');
      const uuid = String(setUp['assistant_uuid']);

      const child = startProgram(executable, [program, 'start', '--json'], { env });
      const service = await waitForService(child);
      const file = join(await temporaryFolder(), 'hours.txt');
      await writeFile(file, 'We are open Monday to Friday from 9 to 18.');
      const added = await command('documents', 'add', '--assistant', uuid, '--file', file);
      const headers = { Authorization: `Bearer ${String(setUp['api_key'])}` };
      const path = `/api/user/knowledgebases/${String(added['knowledgebase_id'])}/documents/${String(added['id'])}`;
      let status = 'processing';
      while (status === 'processing') {
        const { json } = await service.get(path, headers);
        ({ status } = json['data'] as { status: string });
      }
      const { json } = await service.send(await service.open(uuid), 'Are you open on Monday?');
      assert.match(String(json['message']), /from 9 to 18/);
      process.kill(child.pid, 'SIGTERM');
      assert.equal(await child.ended, 0);
    });
  }

  it('delivers the widget and the documentation compressed, and prints JSON alone', async () => {
    const child = startProgram(process.execPath, [program, 'start', '--json'], {
      env: { ...embeddedIn(await temporaryFolder()), LOG_LEVEL: 'warn' },
    });
    const service = await waitForService(child);
    for (const path of ['/embed.js', '/voice-assistant-chat.js']) {
      const response = await fetch(service.url + path, { headers: { 'Accept-Encoding': 'br' } });
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('Content-Encoding'), 'br', path);
      const [, hash] = /panel:\W(\w+)/.exec(await response.text()) ?? [];
      assert.equal((await fetch(`${service.url}/chunks/panel-${hash}.js`)).status, 200, path);
    }
    const page = await fetch(`${service.url}/docs/`, { headers: { 'Accept-Encoding': 'br' } });
    assert.equal(page.headers.get('Content-Encoding'), 'br');
    assert.match(await page.text(), /<title>/);
    await child.stop();
    assert.equal(child.output(), `${JSON.stringify({ url: service.url })}\n`);
  });

  it('prints commands in the form in which it was called', async () => {
    const bin = join(folder, 'node_modules/voice-assistant-chat-service/dist/service/bin.js');
    const settings = `--env-file=${join(folder, 'package.json')}`;
    for (const [called, printed] of [
      [[program], 'npx voice-assistant-chat-service'],
      [[bin], `node ${bin}`],
      [[settings, bin], `node ${settings} ${bin}`],
    ] as const) {
      const { output } = await runToEnd(process.execPath, [...called, '--help']);
      assert.ok(output.startsWith(`Usage: ${printed} <command> [options]\n`), output);
    }
  });

  it('says in one sentence which Node it needs on an older one', async () => {
    const old = await installNode('20.19.5');
    const { status, output } = await runToEnd(old, [program, 'start']);
    assert.equal(status, 1);
    assert.match(
      output,
      /^voice-assistant-chat-service needs Node 22\.\d+ or later; this is Node 20\.19\.5\.\n$/,
    );
  });

  it('runs nothing when it is installed', async () => {
    const path = join(folder, 'node_modules/voice-assistant-chat-service/package.json');
    const { scripts } = JSON.parse(await readFile(path, 'utf8')) as { scripts: Record<string, string> };
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
      assert.equal(scripts[name], undefined, name);
  });

  it('warns at its start and in /readyz if the folder of the widget is empty', async () => {
    const empty = await temporaryFolder();
    const child = startProgram(process.execPath, [program, 'start', '--json'], {
      env: { ...embeddedIn(await temporaryFolder()), WIDGET_DIR: empty },
    });
    const service = await waitForService(child);
    const warning = `${empty} has no embed.js, so pages cannot load the chat from here.`;
    const { json } = await service.get('/readyz');
    await child.stop();
    assert.ok(child.output().includes(warning), child.output());
    assert.ok(String(json['warnings']).includes(warning), JSON.stringify(json));
  });

  it('ends with all its children if only npx receives SIGTERM', async () => {
    const child = startProgram('npx', ['voice-assistant-chat-service', 'start', '--json'], {
      cwd: folder,
      env: { ...embeddedIn(await temporaryFolder()), PATH: pathWithThisNode },
    });
    const service = await waitForService(child);
    process.kill(child.pid, 'SIGTERM');
    // Its output closes only when the last process that can write to it has ended.
    await child.ended;
    await assert.rejects(new ServiceClient(service.url).get('/healthz'));
    assert.match(child.output(), /"stopped"/);
  });
});
