import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { freePort } from '../support/process/free-port.ts';
import { repository } from '../support/repository.ts';
import { selfSignedCertificate } from '../support/servers/self-signed-certificate.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import type { ServiceProcess } from '../support/service/service-process.ts';
import { atEnd, createAssistant, newDatabase, startService } from '../support/service/service.ts';
import { sign, FakeTwilio, twilioSettings } from '../support/twilio/fake-twilio.ts';
import { startProgram, runToEnd, temporaryFolder } from './installed-service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const env = await newDatabase();
const prepared = await startService(env);
const { uuid } = await createAssistant(prepared);
await prepared.running.close();
const twilio = await FakeTwilio.start();
atEnd(() => twilio.close());
const settings = {
  ...env,
  ...twilioSettings(twilio),
  ...{ CARRIER_COUNTRIES: 'DE', LLM_BASE_URL: model.url, TRUST_PROXY: '1' },
};

const unitName = 'voice-assistant-chat.service';

const read = (name: string) => readFile(join(repository, 'docs/deploy', name), 'utf8');

/** Whether a program is installed. @throws Error if it has to be and is not. */
function isInstalled(program: string): boolean {
  const found = spawnSync('which', [program]).status === 0;
  if (!found && process.env['REQUIRE_ALL'] === '1') throw new Error(`${program} is not installed.`);
  return found;
}

/** Sends a request through TLS; the certificate is not checked. */
async function send(
  port: number,
  path: string,
  body?: unknown,
  headers = {},
  method = body === undefined ? 'GET' : 'POST',
): Promise<IncomingMessage> {
  const sent = request({
    ...{ host: '127.0.0.1', port, path, servername: 'localhost', rejectUnauthorized: false },
    method,
    headers: { Host: 'localhost', 'Content-Type': 'application/json', ...headers },
    agent: false,
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Waits until a proxy forwards requests. */
async function ready(port: number): Promise<void> {
  for (;;) {
    const status = await send(port, '/healthz').then(
      (response) => (response.resume(), response.statusCode),
      () => undefined,
    );
    if (status === 200) return;
  }
}

/**
 * Streams an answer through a proxy: its first words must arrive before the model has finished. Returns the UUID of the
 * conversation.
 */
async function checkStreaming(port: number): Promise<string> {
  const rest = Promise.withResolvers<string>();
  model.behave({ chunks: ['First words ', rest.promise] });
  const opened = await send(port, '/api/conversations', { assistant_id: uuid, type: 'test' });
  const { conversation_id: conversation } = JSON.parse(await text(opened)) as { conversation_id: string };
  const path = `/api/conversations/${conversation}/messages`;
  const response = await send(port, path, { message: 'Hi' }, { Accept: 'text/event-stream' });
  assert.equal(response.headers['content-type'], 'text/event-stream');
  let received = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.toString();
    if (received.includes('First words')) rest.resolve('and the last.');
  }
  assert.match(received, /and the last\./);
  return conversation;
}

/** Connects as the carrier does, which exchanges the texts of a call over a WebSocket. */
async function checkWebSocket(port: number): Promise<void> {
  const path = '/api/carrier/twilio/relay';
  const signature = sign(twilioSettings(twilio).PUBLIC_URL.replace('https', 'wss') + path);
  const socket = new WebSocket(`wss://localhost:${port}${path}`, {
    ...{ rejectUnauthorized: false, family: 4 },
    headers: { 'X-Twilio-Signature': signature },
  });
  await once(socket, 'open');
  socket.send('{"type":"prompt","voicePrompt":"Hello","last":true}');
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  assert.deepEqual([code, reason.toString()], [1008, 'setup expected']);
}

const recordingPath = `/recordings/${'r'.repeat(43)}`;

/** Sends a request without TLS. Its path is a capability, too, for the check of the logs. */
async function checkRedirect(port: number): Promise<void> {
  const plain = await fetch(`http://127.0.0.1:${port}${recordingPath}`, {
    redirect: 'manual',
    headers: { Host: 'localhost' },
  });
  assert.ok([301, 308].includes(plain.status), `status ${plain.status}`);
}

/** Without the service, the proxy answers itself. Pages of any origin must be able to read that, also after a preflight. */
async function checkUnavailable(port: number, path: string): Promise<void> {
  const preflight = await send(port, path, undefined, {}, 'OPTIONS');
  preflight.resume();
  assert.equal(preflight.statusCode, 204);
  assert.equal(preflight.headers['access-control-allow-headers'], '*');
  assert.equal(preflight.headers['access-control-allow-methods'], '*');
  for (const body of [undefined, { message: 'Hi' }]) {
    const response = await send(port, path, body);
    assert.equal(response.statusCode, 503);
    assert.deepEqual(JSON.parse(await text(response)), {
      message: 'The service does not respond. Please try again.',
    });
    assert.equal(response.headers['content-type'], 'application/json');
    assert.equal(response.headers['retry-after'], '1');
    assert.equal(response.headers['access-control-expose-headers'], 'Retry-After');
    for (const { headers } of [preflight, response]) {
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['strict-transport-security'], 'max-age=31536000');
    }
  }
}

/**
 * Reads a conversation and a recording while the service answers and while it does not. Anyone who knows these paths has
 * access, so that the proxy's logs must not contain them.
 */
async function checkLogs(
  port: number,
  conversation: string,
  stopped: ServiceProcess,
  logs: () => Promise<string>,
): Promise<void> {
  const paths = [`/api/conversations/${conversation}/messages`, recordingPath];
  for (const path of paths) (await send(port, path)).resume();
  await stopped.stop();
  for (const path of paths) await checkUnavailable(port, path);
  const written = await logs();
  for (const capability of [conversation, recordingPath])
    assert.ok(!written.includes(capability), `A log contains ${capability}:\n${written}`);
}

/** Sends the largest document that the service accepts, which must not fail at the proxy. */
async function checkUpload(port: number): Promise<void> {
  const response = await send(port, '/api/user/knowledgebases/1/documents', 'x'.repeat(20 * 1024 * 1024));
  response.resume();
  assert.equal(response.statusCode, 401);
}

/** All that must work through a proxy, which ends the service. */
async function checkProxy(port: number, service: ServiceProcess, logs: () => Promise<string>): Promise<void> {
  const conversation = await checkStreaming(port);
  await checkUpload(port);
  await checkWebSocket(port);
  await checkLogs(port, conversation, service, logs);
}

const title =
  'ends TLS, streams answers, accepts large documents, passes WebSockets on, answers pages without the service, and logs no capabilities';
const upstream = ({ url }: ServiceProcess) => new URL(url).host;

describe('nginx with docs/deploy/nginx.conf', { skip: !isInstalled('nginx') && 'nginx is missing' }, () => {
  it(title, async (t) => {
    const service = await startServiceProcess(settings);
    // Two processes cannot share the embedded database.
    t.after(() => service.stop());
    const folder = await temporaryFolder();
    const { key, cert } = selfSignedCertificate('localhost');
    await writeFile(join(folder, 'key.pem'), key);
    await writeFile(join(folder, 'cert.pem'), cert);
    const [port, plainPort] = [await freePort(), await freePort()];
    const site = (await read('nginx.conf'))
      .replace('127.0.0.1:3000', upstream(service))
      .replace(/^ *listen \[::\].*$/gm, '')
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
      .replace('/var/log/nginx', folder)
      .replace(/\S+fullchain\.pem/, join(folder, 'cert.pem'))
      .replace(/\S+privkey\.pem/, join(folder, 'key.pem'));
    await writeFile(join(folder, 'site.conf'), site);
    await writeFile(
      join(folder, 'nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; events {}
       http { access_log ${folder}/access.log; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
         fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
         include ${folder}/site.conf; }`,
    );
    const nginx = startProgram('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]);
    const logs = () => Promise.all(globSync(join(folder, '*.log')).map((name) => readFile(name, 'utf8')));
    await ready(port);
    await checkRedirect(plainPort);
    await checkProxy(port, service, async () => nginx.output() + (await logs()).join('\n'));
  });
});

/** Starts Caddy with docs/deploy/Caddyfile. Returns its ports, with and without TLS, and its output. */
async function startCaddy(env: Record<string, string>) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'home'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const options = `{
    admin off
    skip_install_trust
    https_port ${port}
    http_port ${plainPort}
    default_bind 127.0.0.1
  `;
  const file = join(folder, 'Caddyfile');
  await writeFile(file, (await read('Caddyfile')).replace('{\n', options));
  const home = { HOME: join(folder, 'home'), XDG_DATA_HOME: join(folder, 'home') };
  const caddy = startProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { DOMAIN: 'localhost', ...home, ...env },
  });
  await ready(port);
  return { port, plainPort, output: () => caddy.output() };
}

describe('Caddy with docs/deploy/Caddyfile', { skip: !isInstalled('caddy') && 'caddy is missing' }, () => {
  it(title, async (t) => {
    const service = await startServiceProcess(settings);
    // Two processes cannot share the embedded database.
    t.after(() => service.stop());
    const { port, plainPort, output } = await startCaddy({ UPSTREAM: upstream(service) });
    await checkRedirect(plainPort);
    await checkProxy(port, service, () => Promise.resolve(output()));
  });

  it('passes on the addresses that a trusted CDN names, and discards those of others', async (t) => {
    const server = createServer(({ headers }, response) => response.end(headers['x-forwarded-for']));
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const UPSTREAM = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [trusted, forwarded] of [
      ['192.0.2.0/24 127.0.0.0/8', '203.0.113.9, 127.0.0.1'],
      ['192.0.2.0/24', '127.0.0.1'],
    ] as const) {
      const { port } = await startCaddy({ UPSTREAM, TRUSTED_PROXIES: trusted });
      const response = await send(port, '/', undefined, { 'X-Forwarded-For': '203.0.113.9' });
      assert.equal(await text(response), forwarded);
    }
  });

  it('closes its unused connections before the service does, so that no request meets a closing one', async (t) => {
    const service = await startServiceProcess(settings);
    t.after(() => service.stop());
    const { headers } = await fetch(`${service.url}/healthz`);
    const [, kept] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
    const config = join(repository, 'docs/deploy/Caddyfile');
    const { stdout } = spawnSync('caddy', ['adapt', '--config', config, '--adapter', 'caddyfile'], {
      encoding: 'utf8',
      env: { ...process.env, DOMAIN: 'localhost' },
    });
    const [, nanoseconds] = /"idle_timeout":(\d+)/.exec(stdout) ?? [];
    assert.ok(Number(nanoseconds) / 1e9 < Number(kept), `${nanoseconds} ns, ${kept} s`);
  });
});

describe('the sandbox of the systemd unit', () => {
  it('lets the service list the addresses of the machine, which answers to web calls name', async () => {
    const [, families = ''] = /^RestrictAddressFamilies=(.*)$/m.exec(await read(unitName)) ?? [];
    assert.ok(families.split(' ').includes('AF_NETLINK'), families);
  });
});

describe('the systemd unit', { skip: !isInstalled('systemd-analyze') && 'systemd is missing' }, () => {
  it('passes systemd-analyze verify', async () => {
    const folder = await temporaryFolder();
    const unit = join(folder, unitName);
    const content = await read(unitName);
    await writeFile(unit, content.replace('/usr/bin/node', process.execPath));
    const { status, output } = await runToEnd('systemd-analyze', ['verify', '--man=no', unit]);
    assert.deepEqual([status, output], [0, '']);
  });
});
