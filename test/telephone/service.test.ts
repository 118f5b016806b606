import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { checkAsterisk } from '../../src/service/carrier/asterisk/check-asterisk.ts';
import { Resampler } from '../../src/service/voice/resampler.ts';
import { createVoice } from '../../src/voice/create-voice.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, readMoney, startService } from '../support/service/service.ts';
import type { TestService } from '../support/service/service.ts';
import { credentials, endpoint, phones, ports, startAsterisk } from '../support/telephone/asterisk.ts';
import { Phone, phoneRate } from '../support/telephone/baresip.ts';
import { startSpeechServer } from '../support/telephone/speech-server.ts';
import { eventually } from '../support/eventually.ts';
import { record } from '../support/voice/recording.ts';

const cacheFolder = process.env['TELEPHONE_CACHE'] ?? '/var/tmp/voice-assistant-chat-telephone';

describe('the service with CARRIER=asterisk', () => {
  let asterisk: Awaited<ReturnType<typeof startAsterisk>>;
  const opened: (() => Promise<unknown>)[] = [];

  before(async () => {
    asterisk = await startAsterisk(cacheFolder);
  });
  after(() => asterisk.stop());
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  const startPhone = async () => {
    const folder = join(cacheFolder, `phone-${String(ports.customer)}`);
    const phone = await Phone.start({ folder, number: phones.customer, port: ports.customer, answers: true });
    opened.push(() => phone.stop());
    return phone;
  };

  const start = async (settings: Record<string, string>, extras: Parameters<typeof startService>[1] = {}) => {
    const service = await startService(
      {
        ...(await newDatabase()),
        WORKERS: 'on',
        CARRIER: 'asterisk',
        CARRIER_COUNTRIES: '*',
        ASTERISK_URL: asterisk.url,
        ASTERISK_USER: credentials.user,
        ASTERISK_PASSWORD: credentials.password,
        ASTERISK_ENDPOINT: endpoint,
        ASTERISK_PHONE_NUMBER: '+15559990000',
        ...settings,
      },
      extras,
    );
    opened.push(() => service.running.close());
    return service;
  };

  it('passes `carrier check` as long as it runs', async () => {
    const config = {
      ...{ url: asterisk.url, ...credentials, phoneNumber: undefined },
      endpoint: `PJSIP/{number}@phone-${phones.customer}`,
      application: 'voice-assistant-chat',
    };
    const check = async () =>
      (await checkAsterisk(config)).map(({ name, isOk }) => `${name} ${isOk ? 'works' : 'fails'}`);
    const works = ['Asterisk works', 'audio works', 'trunk works', 'service works'];
    const service = await start({}, { voice: new MemoryVoice() });
    await eventually('the connection', async () => (await check()).join() === works.join());
    await service.running.close();
    await eventually('the end', async () => (await check()).at(-1) === 'service fails');
    const wrong = await checkAsterisk({ ...config, endpoint: 'PJSIP/{number}@nowhere' });
    assert.match(wrong.find(({ name }) => name === 'trunk')?.text ?? '', /no PJSIP endpoint "nowhere"/);
    const [refused] = await checkAsterisk({ ...config, password: 'wrong' });
    assert.match(refused?.text ?? '', /refuses the user or the password/);
  });

  it('calls a SIP phone, greets, answers the customer, and charges the started minute', async () => {
    const speech = await startSpeechServer();
    opened.push(() => speech.close());
    await checkCall(await start({ SPEECH_BASE_URL: speech.baseUrl }), await startPhone());
  });

  it('makes the same call with offline speech', async () => {
    const voice = await createVoice({ media: {} }, pino({ level: 'silent' }));
    await checkCall(await start({}, { voice }), await startPhone());
  });

  async function checkCall(service: TestService, phone: Phone) {
    const owner = await Owner.create(service, '1');
    const assistant = await owner.create(
      'assistant',
      assistantBody({ initial_message: 'Good morning. How can I help you?', max_silence_duration: 20 }),
    );
    const made = await owner.post('make_call', {
      phone_number: phones.customer,
      assistant_id: assistant.id,
    });
    const id = Number(made.json['call_id']);
    const read = async () => (await owner.get(`calls/${String(id)}`)).json;
    await eventually('the greeting', async () => /Good morning/.test(String((await read())['transcript'])));

    const { samples, rate } = await record('I would like to book a table for two people.');
    phone.speak(new Resampler(rate, phoneRate).convert(samples));
    await eventually('an answer to the question', async () =>
      /Customer: .*for two people.*\nAI: ./is.test(String((await read())['transcript'])),
    );
    await phone.stop();
    await eventually('the end of the call', async () => (await read())['status'] !== 'in-progress');

    const call = await read();
    assert.match(String(call['status']), /^(completed|ended_by_customer)$/);
    assert.equal(call['type'], 'outbound');
    const { balance, ledger } = await readMoney(service, owner.id);
    assert.ok(balance < 1);
    assert.equal(ledger, balance);
  }
});
