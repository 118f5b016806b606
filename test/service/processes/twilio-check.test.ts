import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { startChildProcess } from '../../support/process/child-process.ts';
import { freePort } from '../../support/process/free-port.ts';
import { repository } from '../../support/repository.ts';
import { checkTwilio } from '../../../src/service/carrier/twilio/check-twilio.ts';
import { startLoopbackServer } from '../../support/servers/loopback-server.ts';
import { selfSignedCertificate } from '../../support/servers/self-signed-certificate.ts';
import { atEnd, newDatabase } from '../../support/service/service.ts';
import { from, startCarrier } from '../../support/twilio/carrier-under-test.ts';
import { credentials, twilioSettings } from '../../support/twilio/fake-twilio.ts';

const certificate = selfSignedCertificate('localhost');
const folder = await mkdtemp(join(tmpdir(), 'carrier-check-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const certificateFile = join(folder, 'certificate.pem');
await writeFile(certificateFile, certificate.cert);

/** Terminates TLS, as the proxy in front of the service does. */
async function startTlsProxy(): Promise<{ publicUrl: string; forwardTo: (url: string) => void }> {
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer(certificate, (incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  return {
    publicUrl: `https://localhost:${(server.address() as AddressInfo).port}`,
    forwardTo: (url) => {
      port = Number(new URL(url).port);
    },
  };
}

const proxy = await startTlsProxy();
const { publicUrl } = proxy;
const { twilio, url } = await startCarrier({ publicUrl });
proxy.forwardTo(url);
const env = {
  ...twilioSettings(twilio),
  PUBLIC_URL: publicUrl,
  TWILIO_PHONE_NUMBER: from,
  NODE_EXTRA_CA_CERTS: certificateFile,
};

/** An address that refuses connections. */
const closedUrl = `https://localhost:${await freePort()}`;

/** Runs `carrier check` as an operator does. */
async function check(settings: Record<string, string | undefined> = {}, ...options: string[]) {
  const program = join(repository, 'src/service/cli.ts');
  const args = [program, 'carrier', 'check', ...options];
  const child = startChildProcess(process.execPath, args, {
    env: { ...env, ...(await newDatabase()), ...settings },
  });
  const code = await child.ended;
  const output = child.output();
  const steps = output
    .split('\n')
    .flatMap((line) => /^(.+?) {2,}(works|fails) /.exec(line)?.slice(1, 3).join(': ') ?? []);
  return { code, output, steps };
}

test('reports that everything works, including a test call', async () => {
  const checking = check({}, '--call', '+4915112345678');
  const call = await twilio.call('+4915112345678');
  await call.ring();
  await call.answer();
  const relay = await call.connected();
  await relay.hears(/This is the test call/);
  await call.over();
  const { code, output, steps } = await checking;
  assert.equal(code, 0, output);
  assert.deepEqual(steps, [
    'credentials: works',
    'number: works',
    'public address: works',
    'signature: works',
    'WebSocket: works',
    'test call: works',
  ]);
  assert.deepEqual([call.problems, relay.problems], [[], []]);
});

test('reports a test call that nobody answers', async () => {
  const checking = check({}, '--call', '+4915112345679');
  const call = await twilio.call('+4915112345679');
  await call.end('busy');
  const { code, steps, output } = await checking;
  assert.deepEqual([code, steps.at(-1)], [1, 'test call: fails']);
  assert.match(output, /The phone is busy/);
});

for (const [problem, settings, step, remedy] of [
  [
    'wrong credentials',
    { TWILIO_ACCOUNT_SID: `AC${'1'.repeat(32)}` },
    'credentials: fails',
    /TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN/,
  ],
  ['a number of somebody else', { TWILIO_PHONE_NUMBER: '+4930999999' }, 'number: fails', /Buy or verify it/],
  [
    'a public address without a server',
    { PUBLIC_URL: closedUrl },
    'public address: fails',
    /cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    'a certificate that is not trusted',
    { NODE_EXTRA_CA_CERTS: '' },
    'public address: fails',
    /SELF_SIGNED.*the certificate/,
  ],
  [
    'a service with another auth token',
    { TWILIO_AUTH_TOKEN: 'another token' },
    'signature: fails',
    /TWILIO_AUTH_TOKEN or PUBLIC_URL differs/,
  ],
] as const) {
  test(`explains how to fix ${problem}`, async () => {
    const { code, output, steps } = await check(settings);
    assert.equal(code, 1);
    assert.ok(steps.includes(step), output);
    assert.match(output, remedy);
  });
}

test('names the bought numbers that do not ring at this service', async () => {
  twilio.own('+493012345001', `${publicUrl}/api/carrier/twilio/incoming`);
  twilio.own('+493012345002', 'https://old.example/api/carrier/twilio/incoming');
  const bought = ['+493012345001', '+493012345002', '+493012345003'];
  const config = {
    ...{ ...credentials, apiKey: undefined, apiUrl: twilio.url, phoneNumber: from, callsPerSecond: 1 },
    publicUrl,
  };
  const find = async (numbers: string[]) =>
    (await checkTwilio(config, { bought: numbers })).find(({ name }) => name === 'bought numbers');
  assert.deepEqual(await find(bought), {
    name: 'bought numbers',
    isOk: false,
    text: 'Calls to +493012345002, +493012345003 do not reach this service. Run `numbers point`, as after every change of PUBLIC_URL',
  });
  assert.equal((await find(bought.slice(0, 1)))?.isOk, true);
  assert.equal(await find([]), undefined);
});

test('explains a public address that does not respond', async () => {
  const silent = await startLoopbackServer(() => undefined);
  atEnd(() => silent.close());
  const config = {
    ...{ ...credentials, apiKey: undefined, apiUrl: twilio.url, phoneNumber: from, callsPerSecond: 1 },
    publicUrl: silent.url,
  };
  const steps = await checkTwilio(config, {}, { pollMs: 1, testCallMs: 1, requestMs: 50 });
  assert.equal(
    steps.at(-1)?.text,
    `${silent.url} cannot be reached (no answer within 0.05 seconds). Check PUBLIC_URL, its DNS entry, the certificate, and the proxy.`,
  );
});

test('reports that calls are simulated', async () => {
  const { code, output } = await check({ CARRIER: 'simulated' });
  assert.deepEqual([code, /Set CARRIER=twilio/.test(output)], [1, true]);
});

test('rejects an invalid number for the test call', async () => {
  const { code, output } = await check({}, '--call', '110');
  assert.deepEqual([code, /is not a phone number/.test(output)], [2, true]);
});
