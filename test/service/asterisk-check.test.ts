import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { checkCarrierCommand } from '../../src/service/cli/carrier-commands.ts';
import { readConfig } from '../../src/service/config.ts';
import { FakeAri } from '../support/asterisk/fake-ari.ts';
import { freePort } from '../support/process/free-port.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startService } from '../support/service/service.ts';

const { database } = (await startService()).running;
let ari: FakeAri;

beforeEach(async () => {
  ari = await FakeAri.start();
  // A service is running.
  ari.keepsApplication = true;
});
afterEach(() => ari.close());

/** Runs `carrier check`. Returns whether everything works, and each step with its result. */
async function check(settings: Record<string, string> = {}, values: Record<string, string> = {}) {
  const asterisk = { CARRIER: 'asterisk', ASTERISK_URL: ari.url, ASTERISK_PASSWORD: 'secret-password' };
  const config = readConfig({ ...asterisk, CARRIER_COUNTRIES: 'DE', ...settings });
  const { data, hasFailed } = await checkCarrierCommand.run({ config, database }, values);
  const steps = data as { step: string; works: boolean; details: string }[];
  assert.equal(
    hasFailed,
    steps.some(({ works }) => !works),
  );
  return steps.map(({ step, works, details }) => `${step} ${works ? 'works' : 'fails'}: ${details}`);
}

test('carrier check reports that calls with Asterisk work', async () => {
  assert.deepEqual(await check(), [
    'Asterisk works: version 22.8.0',
    'audio works: chan_websocket.so is loaded',
    'trunk works: the endpoint "trunk" is online',
    'service works: a running service receives the inbound calls',
  ]);
});

test('carrier check does not check a trunk that it cannot find in the dial string', async () => {
  const steps = await check({ ASTERISK_ENDPOINT: 'Local/{number}' });
  assert.equal(steps[2], 'trunk works: not checked, since ASTERISK_ENDPOINT is Local/{number}');
});

for (const [problem, change, step] of [
  [
    'the wrong password',
    () => (ari.isLocked = true),
    /^Asterisk fails: Asterisk at .* refuses the user or the password \(401\)\. ASTERISK_USER/,
  ],
  ['another program', () => (ari.refuses = /info/), /^Asterisk fails: .*\/ari is not the REST interface/],
  ['an older version', () => (ari.refuses = /modules/), /^audio fails: .*22\.8 and newer/],
  ['an unknown trunk', () => (ari.refuses = /endpoints/), /^trunk fails: .*no PJSIP endpoint "trunk"/],
  ['a trunk without a connection', () => (ari.trunk = 'offline'), /^trunk fails: .*is offline\. Check/],
  ['no running service', () => (ari.keepsApplication = false), /^service fails: .*Start the service/],
] as const)
  test(`carrier check explains ${problem}`, async () => {
    change();
    const failed = (await check()).filter((each) => each.includes(' fails: '));
    assert.equal(failed.length, 1);
    assert.match(failed.join(), step);
    assert.doesNotMatch(failed.join(), /secret-password/);
  });

test('carrier check explains that Asterisk does not run', async () => {
  const url = `http://127.0.0.1:${String(await freePort())}`;
  const [step, ...others] = await check({ ASTERISK_URL: url });
  assert.match(step ?? '', /^Asterisk fails: .*cannot be reached \(ECONNREFUSED\)/);
  assert.deepEqual(others, []);
});

test('carrier check explains that a website answers', async () => {
  const website = await startLoopbackServer((_, response) => void response.end('<h1>Welcome</h1>'));
  const [step] = await check({ ASTERISK_URL: website.url });
  await website.close();
  assert.match(step ?? '', /^Asterisk fails: .*\/ari is not the REST interface of Asterisk/);
});

test('carrier check makes no test call with Asterisk, and says how to make one', async () => {
  await assert.rejects(check({}, { call: '+4930123456' }), /make_call/);
});
