import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../src/service/config.ts';
import { checkModelSettings, readEnvironment, settingsFile } from '../../src/service/read-environment.ts';

test('has a default for every setting', () => {
  const config = readConfig({});
  assert.equal(config.port, 3000);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.dataDir, '.data');
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.languageModel, undefined);
  assert.equal(config.trustedProxies, 0);
  assert.ok(config.rateLimit.requests > 0);
});

test('treats an empty or blank variable as unset', () => {
  assert.deepEqual(
    readConfig({ PORT: '', DATABASE_URL: '', LLM_BASE_URL: '', LLM_API_KEY: ' ', RATE_LIMIT: ' ' }),
    readConfig({}),
  );
  const MODELS = '[{"code":"a","apiKeyEnv":"EMPTY_KEY"}]';
  assert.throws(() => readConfig({ MODELS, EMPTY_KEY: '' }), /EMPTY_KEY of a is not/);
});

/** Runs `work` in a folder whose settings file has these lines. */
async function withSettingsFile(lines: string[], work: () => void): Promise<void> {
  const before = process.cwd();
  const folder = await mkdtemp(join(tmpdir(), 'settings-file-'));
  try {
    process.chdir(folder);
    await writeFile(settingsFile, lines.join('\n'));
    work();
  } finally {
    process.chdir(before);
    await rm(folder, { recursive: true });
  }
}

test('ignores the model in the settings file if the environment has the address or the key of one', () =>
  withSettingsFile(['LLM_MODEL=stored', 'LLM_API_KEY=sk-stored', 'PORT=3001'], () => {
    const local = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'local' };
    const { languageModel, port } = readConfig(readEnvironment(local));
    assert.deepEqual(
      [languageModel?.baseUrl, languageModel?.model, languageModel?.apiKey, port],
      [local.LLM_BASE_URL, local.LLM_MODEL, undefined, 3001],
    );
    assert.match(checkModelSettings(local) ?? '', /LLM_API_KEY in .* are ignored/);
    assert.equal(readEnvironment({ LLM_API_KEY: 'sk-other' })['LLM_MODEL'], undefined);
    // The name alone changes the stored model.
    assert.equal(checkModelSettings({ LLM_MODEL: 'other' }), undefined);
    assert.equal(readEnvironment({ LLM_MODEL: 'other' })['LLM_API_KEY'], 'sk-stored');
  }));

test('keeps the name of a model in the settings file if the environment has its key', () =>
  withSettingsFile(['LLM_MODEL=stored'], () => {
    const env = { LLM_API_KEY: 'sk-other' };
    assert.equal(checkModelSettings(env), undefined);
    assert.equal(readEnvironment(env)['LLM_MODEL'], 'stored');
  }));

test('refuses to send a key in the environment to the address in the settings file, or elsewhere', () =>
  withSettingsFile(['LLM_BASE_URL=http://127.0.0.1:9/v1', 'LLM_MODEL=stored'], () => {
    assert.throws(() => checkModelSettings({ LLM_API_KEY: 'sk-other' }), /Set both in one of them/);
    const both = { LLM_API_KEY: 'sk-other', LLM_BASE_URL: 'http://127.0.0.1:9/v1' };
    assert.match(checkModelSettings(both) ?? '', /LLM_MODEL in .* are ignored/);
  }));

test('uses the value in the settings file if the variable is empty, and none if that is empty, too', () =>
  withSettingsFile(
    ['LLM_BASE_URL="http://127.0.0.1:9/v1"', 'LLM_MODEL="stored"', 'OTEL_METRICS_EXPORTER='],
    () => {
      const env = readEnvironment({ LLM_BASE_URL: '', LLM_MODEL: 'other' });
      const { languageModel } = readConfig(env);
      assert.deepEqual([languageModel?.baseUrl, languageModel?.model], ['http://127.0.0.1:9/v1', 'other']);
      // Otherwise the telemetry refuses it as an unknown exporter.
      assert.equal('OTEL_METRICS_EXPORTER' in env, false);
    },
  ));

test('enables the language model if an address or a key is set', () => {
  const local = readConfig({ LLM_BASE_URL: 'http://localhost:11434/v1', LLM_MODEL: 'mistral' }).languageModel;
  assert.deepEqual(
    [local?.baseUrl, local?.apiKey, local?.model],
    ['http://localhost:11434/v1', undefined, 'mistral'],
  );
  const hosted = readConfig({ LLM_API_KEY: 'sk-1' }).languageModel;
  assert.deepEqual([hosted?.baseUrl, hosted?.apiKey], [undefined, 'sk-1']);
});

const wrong: [name: string, value: string][] = [
  ['PORT', 'abc'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['DATABASE_URL', 'mysql://localhost'],
  ['DATABASE_DIRECT_URL', 'localhost:5432'],
  ['LLM_BASE_URL', 'localhost'],
  ['LLM_BASE_URL', 'ftp://localhost'],
  ['LOG_LEVEL', 'loud'],
  ['RATE_LIMIT', '-1'],
  ['RATE_LIMIT', '1.5'],
  ['TRUST_PROXY', 'yes'],
  ['DATABASE_POOL_SIZE', '0'],
  ['SHUTDOWN_SECONDS', 'soon'],
  ['WEBHOOK_RETRY_SECONDS', '30,,60'],
  ['WEBHOOK_RETRY_SECONDS', '-1'],
  ['ALLOW_PRIVATE_ADDRESSES', 'intranet'],
  ['CARRIER_OUTCOMES', 'human'],
  ['CARRIER_OUTCOMES', 'human=0'],
  ['CARRIER_OUTCOMES', 'ghost=1'],
  ['CARRIER_SECONDS', '-1'],
  ['PUBLIC_URL', 'chat.example'],
  ['PUBLIC_URL', 'https://chat.example/?tenant=1'],
  ['PUBLIC_URL', 'https://chat.example?'],
  ['PUBLIC_URL', 'https://chat.example/#chat'],
  ['PUBLIC_URL', 'https://ada:hunter2@chat.example'],
  ['ALLOW_PRIVATE_ADDRESSES', '10.0.0.0/33'],
  // Browsers refuse these addresses of servers.
  ['VOICE_STUN_URL', 'stun://stun.shop.example'],
  ['VOICE_STUN_URL', 'stun:stun.shop.example?transport=udp'],
  ['VOICE_TURN_URL', 'turn://turn.shop.example:3478'],
  ['VOICE_TURN_URL', 'turn:turn.shop.example?transport=sctp'],
  ['VOICE_PUBLIC_ADDRESS', 'voice.shop.example'],
  ['VOICE_PUBLIC_ADDRESS', '2001:db8::7'],
];
for (const [name, value] of wrong) {
  test(`refuses ${name}=${value} with an error that names the variable`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, new RegExp(`^${name} must be .+\\.$`));
        return true;
      },
    );
  });
}

for (const [name, value] of [
  ['PUBLIC_URL', 'http://[2001:db8::7]:3000/@chat/'],
  ['VOICE_STUN_URL', 'stuns:stun.shop.example:5349'],
  ['VOICE_TURN_URL', 'turns:turn.shop.example:5349?transport=tcp'],
  ['VOICE_TURN_URL', 'turn:[2001:db8::7]:3478'],
  ['VOICE_PUBLIC_ADDRESS', '203.0.113.7'],
] as const) {
  test(`accepts ${name}=${value}`, () => {
    assert.doesNotThrow(() => readConfig({ VOICE_TURN_SECRET: 'secret', [name]: value }));
  });
}

const secretKey = Buffer.alloc(32, 1).toString('base64');
const wrongKeys: [description: string, list: string, problem: RegExp][] = [
  ['an empty entry', `${secretKey},`, /entry 2 is empty\.$/],
  ['a key of 31 bytes', `${secretKey}, ${Buffer.alloc(31, 1).toString('base64')}`, /entry 2 has 31 bytes\.$/],
  ['a passphrase', 'correct horse battery staple', /entry 1 is not base64\.$/],
];
for (const [description, list, problem] of wrongKeys) {
  test(`refuses ${description} in SECRET_KEYS without repeating a key`, () => {
    assert.throws(
      () => readConfig({ SECRET_KEYS: list }),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /^SECRET_KEYS must be keys of 32 random bytes .*openssl rand -base64 32/);
        assert.match(error.message, problem);
        for (const entry of list.split(',')) assert.ok(entry === '' || !error.message.includes(entry.trim()));
        return true;
      },
    );
  });
}

test('does not repeat an invalid value, which may be a secret', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'hunter2' }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

const twilio = {
  CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: 'secret',
  TWILIO_PHONE_NUMBER: '+4930123456',
  PUBLIC_URL: 'https://voice.example.com/',
};

test('reads the credentials of Twilio, and allows calls to the country of its number only', () => {
  const { carrier, calls } = readConfig(twilio);
  assert.deepEqual(carrier.twilio, {
    accountSid: twilio.TWILIO_ACCOUNT_SID,
    authToken: 'secret',
    apiKey: undefined,
    apiUrl: undefined,
    phoneNumber: '+4930123456',
    callsPerSecond: 1,
    publicUrl: 'https://voice.example.com',
  });
  assert.deepEqual(calls.countries, new Set(['DE']));
  assert.equal(readConfig({ ...twilio, CARRIER: 'simulated' }).carrier.twilio, undefined);
});

for (const [name, value] of [
  ['TWILIO_ACCOUNT_SID', undefined],
  ['TWILIO_ACCOUNT_SID', 'SK123'],
  ['TWILIO_AUTH_TOKEN', undefined],
  ['TWILIO_API_KEY', `SK${'0'.repeat(32)}`],
  ['TWILIO_PHONE_NUMBER', '030 123456'],
  ['PUBLIC_URL', undefined],
  ['PUBLIC_URL', 'http://voice.example.com'],
] as const) {
  test(`refuses Twilio as the carrier with ${name}=${value ?? ''}`, () => {
    assert.throws(() => readConfig({ ...twilio, [name]: value }), new RegExp(`^ConfigError: ${name} `));
  });
}

const asterisk = {
  CARRIER: 'asterisk',
  ASTERISK_URL: 'http://127.0.0.1:8088/',
  ASTERISK_PASSWORD: 'secret',
  ASTERISK_PHONE_NUMBER: '+431234567',
  SPEECH_BASE_URL: 'http://127.0.0.1:8000/v1',
};

test('transcribes calls of Asterisk with the server that speaks, unless there is another one', () => {
  const { carrier, calls, voice } = readConfig(asterisk);
  assert.equal(carrier.asterisk?.url, 'http://127.0.0.1:8088');
  assert.equal(voice.speech.transcriber?.baseUrl, asterisk.SPEECH_BASE_URL);
  assert.deepEqual(calls.countries, new Set(['AT']));
  const separate = 'http://127.0.0.1:9000/v1';
  const { speech } = readConfig({ ...asterisk, TRANSCRIPTION_BASE_URL: separate }).voice;
  assert.deepEqual(
    [speech.synthesizer?.baseUrl, speech.transcriber?.baseUrl],
    [asterisk.SPEECH_BASE_URL, separate],
  );
});

test('leaves the speech of Asterisk to the voice package if no endpoint is set', () => {
  const { speech } = readConfig({ ...asterisk, SPEECH_BASE_URL: undefined }).voice;
  assert.deepEqual([speech.synthesizer, speech.transcriber], [undefined, undefined]);
});

test('transcribes by an endpoint even if the package speaks', () => {
  const { speech } = readConfig({ TRANSCRIPTION_BASE_URL: 'http://127.0.0.1:9000/v1' }).voice;
  assert.equal(speech.synthesizer, undefined);
  assert.equal(speech.transcriber?.baseUrl, 'http://127.0.0.1:9000/v1');
});

for (const name of ['ASTERISK_URL', 'ASTERISK_PASSWORD'] as const) {
  test(`refuses Asterisk as the carrier without ${name}`, () => {
    assert.throws(
      () => readConfig({ ...asterisk, [name]: undefined }),
      new RegExp(`^ConfigError: ${name} .*CARRIER=asterisk`),
    );
  });
}

test('refuses a password in ASTERISK_URL, and does not repeat it', () => {
  assert.throws(
    () => readConfig({ ...asterisk, ASTERISK_URL: 'http://operator:secret-in-url@127.0.0.1:8088' }),
    ({ message }: Error) =>
      /^ASTERISK_URL .*set ASTERISK_USER/.test(message) && !message.includes('secret-in'),
  );
});

test('requires the countries that may be called if Twilio has no number of its own', () => {
  const settings = { ...twilio, TWILIO_PHONE_NUMBER: undefined };
  assert.throws(() => readConfig(settings), /^ConfigError: CARRIER_COUNTRIES /);
  assert.equal(readConfig({ ...settings, CARRIER_COUNTRIES: '*' }).calls.countries, 'all');
});
