import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CarrierError } from '../../src/service/carrier/carrier-error.ts';
import { checkTwilio } from '../../src/service/carrier/twilio/check-twilio.ts';
import { createTwilioClient } from '../../src/service/carrier/twilio/twilio-client.ts';
import { TwilioNumbers } from '../../src/service/carrier/twilio/twilio-numbers.ts';
import { WebhookUrls } from '../../src/service/carrier/twilio/webhook-urls.ts';
import type { OutgoingCall } from '../../src/service/carrier/carrier.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { never, outgoing, startCarrier, to, token, from } from '../support/twilio/carrier-under-test.ts';
import { credentials, publicUrl } from '../support/twilio/fake-twilio.ts';
import { readTwiml } from '../support/twilio/twiml.ts';

const { twilio, carrier } = await startCarrier();

const webhook = (name: string) => `${publicUrl}/api/carrier/twilio/calls/7/${token}/${name}`;
const last = () => {
  const call = twilio.calls.at(-1);
  if (!call) throw new Error('There is no call.');
  return call;
};

/** Texts that an error must not contain. */
const secrets = [credentials.authToken, credentials.accountSid, 'twilio.com', '127.0.0.1'];

describe('an outbound call', () => {
  test('is requested with limits, status callbacks and asynchronous machine detection', async () => {
    await carrier.dial({ ...outgoing, record: true });
    const { Twiml: twiml = '', ...form } = last().form;
    assert.deepEqual(form, {
      To: to,
      From: from,
      Timeout: '30',
      TimeLimit: '600',
      StatusCallback: webhook('status'),
      StatusCallbackEvent: 'initiated ringing answered completed',
      MachineDetection: 'DetectMessageEnd',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: webhook('amd'),
      Record: 'true',
      RecordingChannels: 'dual',
      RecordingStatusCallback: webhook('recording'),
      RecordingStatusCallbackEvent: 'completed',
      Trim: 'do-not-trim',
    });
    assert.equal(
      twiml,
      '<?xml version="1.0" encoding="UTF-8"?><Response>' +
        `<Connect action="${webhook('relay')}">` +
        '<ConversationRelay url="wss://voice.example.com/api/carrier/twilio/relay" language="en-US"' +
        ' interruptible="any" interruptSensitivity="medium" reportInputDuringAgentSpeech="dtmf"' +
        ' partialPrompts="false" speechTimeout="800" preemptible="true" dtmfDetection="true"' +
        ' events="speaker-events tokens-played">' +
        `<Parameter name="callId" value="7"/><Parameter name="token" value="${token}"/>` +
        `<Parameter name="connectToken" value="${outgoing.connectToken}"/>` +
        '<Parameter name="maxDuration" value="600"/><Parameter name="speed" value="1"/>' +
        '<Parameter name="interruptingWords" value="0"/><Parameter name="languages" value="en"/>' +
        '</ConversationRelay></Connect></Response>',
    );
  });

  test('is transcribed in all languages of the assistant', async () => {
    await carrier.dial({ ...outgoing, speech: { ...outgoing.speech, otherLanguages: ['de', 'fr'] } });
    const { Twiml: twiml = '' } = last().form;
    assert.match(
      twiml,
      / transcriptionProvider="Deepgram" transcriptionLanguage="multi" speechModel="nova-3-general" /,
    );
    assert.match(twiml, /<Parameter name="languages" value="en,de,fr"\/>/);
  });

  test('is not recorded without the setting', async () => {
    await carrier.dial(outgoing);
    assert.deepEqual(
      Object.keys(last().form).filter((name) => name.startsWith('Record')),
      [],
    );
  });

  const attributesWith = async (speech: Partial<OutgoingCall['speech']>) => {
    await carrier.dial({ ...outgoing, speech: { ...outgoing.speech, ...speech } });
    return readTwiml(last().form['Twiml'] ?? '').children[0]?.children[0]?.attributes ?? {};
  };

  for (const [speech, expected] of [
    [{ language: 'de' }, { language: 'de-DE' }],
    [{ language: 'pt' }, { language: 'pt-BR' }],
    [{ language: 'zh' }, { language: 'cmn-CN' }],
    [{ voice: { provider: 'ElevenLabs', name: 'abc' } }, { ttsProvider: 'ElevenLabs', voice: 'abc' }],
    [
      { voice: { provider: 'elevenlabs', name: 'abc' }, speed: 1.1 },
      { ttsProvider: 'ElevenLabs', voice: 'abc-flash_v2_5-1.1_0.5_0.75' },
    ],
    [
      { voice: { provider: 'Google', name: 'de-DE-Neural2-A' }, speed: 1.1 },
      { ttsProvider: 'Google', voice: 'de-DE-Neural2-A' },
    ],
    [{ voice: { provider: 'Cartesia', name: 'abc' } }, { ttsProvider: undefined, voice: undefined }],
    [{ allowInterruptions: false }, { interruptible: 'none', reportInputDuringAgentSpeech: 'dtmf' }],
    [{ minInterruptWords: 1 }, { interruptible: 'any', partialPrompts: 'false' }],
    [
      { minInterruptWords: 2 },
      { interruptible: 'dtmf', reportInputDuringAgentSpeech: 'any', partialPrompts: 'true' },
    ],
    [{ interruptSensitivity: 0.1 }, { interruptSensitivity: 'low' }],
    [{ interruptSensitivity: 5 }, { interruptSensitivity: 'high' }],
    [{ endpointSensitivity: 0 }, { speechTimeout: '5000' }],
    [{ endpointSensitivity: 5 }, { speechTimeout: '600' }],
    [{ endpointType: 'ai' }, { speechTimeout: 'auto' }],
  ] as const) {
    test(`sets the ConversationRelay attributes for ${JSON.stringify(speech)}`, async () => {
      const attributes = await attributesWith(speech);
      for (const [name, value] of Object.entries(expected)) assert.equal(attributes[name], value, name);
    });
  }

  for (const [code, message, reason = 'failed'] of [
    [10001, /not active/, 'carrier-account'],
    [20003, /credentials/, 'carrier-account'],
    [20005, /not active/, 'carrier-account'],
    [21211, /does not know it as a phone number/],
    [21210, /verified as a caller ID/, 'no-caller-id'],
    [21212, /does not recognize/, 'no-caller-id'],
    [21215, /Geo permissions/],
    [21219, /trial account/],
    [10004, /concurrent/],
    [20429, /too many requests/],
    [21999, /refuses the call \(error 21999\)/],
  ] as const) {
    test(`fails with an explanation for error ${code}`, async () => {
      const count = twilio.calls.length;
      twilio.nextCall = { status: code === 20003 ? 401 : 400, code };
      await assert.rejects(carrier.dial(outgoing), (error: Error) => {
        assert.ok(error instanceof CarrierError);
        assert.match(error.message, message);
        assert.equal(error.reason, reason);
        assert.equal(error.isTemporary, [10004, 20429].includes(code));
        const whole = JSON.stringify(error, Object.getOwnPropertyNames(error));
        for (const secret of secrets) assert.ok(!whole.includes(secret), whole);
        return true;
      });
      assert.equal(twilio.calls.length, count);
    });
  }

  test('is retried after status 429', async () => {
    const count = twilio.calls.length;
    twilio.nextCall = { status: 429, code: 20429 };
    await carrier.dial(outgoing);
    assert.equal(twilio.calls.length, count + 1);
  });

  test('fails without a CarrierError if the carrier may have placed it', async () => {
    for (const next of ['unknown', { status: 503, code: 20503 }] as const) {
      twilio.nextCall = next;
      await assert.rejects(carrier.dial(outgoing), (error: Error) => {
        assert.ok(!(error instanceof CarrierError));
        const whole = JSON.stringify(
          error,
          Object.getOwnPropertyNames(error).filter((name) => name !== 'stack'),
        );
        for (const secret of secrets) assert.ok(!whole.includes(secret), whole);
        return true;
      });
    }
  });

  test('needs a number of the assistant or TWILIO_PHONE_NUMBER', async () => {
    await assert.rejects(carrier.dial({ ...outgoing, from: '' }), {
      message: /TWILIO_PHONE_NUMBER/,
      reason: 'no-caller-id',
    });
    const other = await startCarrier({ phoneNumber: from });
    await other.carrier.dial({ ...outgoing, from: '' });
    assert.equal(other.twilio.calls[0]?.form['From'], from);
  });

  test('is ended by its id, and a repeated or unknown hang-up succeeds', async () => {
    const sid = await carrier.dial(outgoing);
    const call = last();
    await carrier.hangUp(sid);
    await call.over();
    assert.equal(call.status, 'canceled');
    await carrier.hangUp(sid);
    await carrier.hangUp(`CA${'0'.repeat(32)}`);
  });
});

test('reports that the carrier cannot be reached', async () => {
  const other = await startCarrier();
  await other.twilio.close();
  await assert.rejects(other.carrier.dial(outgoing), (error: Error) => {
    assert.ok(error instanceof CarrierError);
    assert.match(error.message, /cannot be reached \(ECONNREFUSED\)/);
    assert.ok(error.isTemporary);
    return true;
  });
});

describe('numbers', () => {
  twilio.offers.set('DE', {
    Local: ['+493055550001', '+493055550002'],
    Mobile: ['+4915735980001'],
  });
  twilio.prices.set('DE', { local: '1.15', mobile: '15.00' });

  test('are returned with the price of their type', async () => {
    assert.deepEqual(await carrier.numbers.search({ country: 'DE', contains: '', limit: 20 }), [
      {
        phoneNumber: '+493055550001',
        countryCode: 'DE',
        region: 'Berlin',
        price: 1.15,
        addressRequirements: 'local',
        smsCapable: false,
      },
      {
        phoneNumber: '+493055550002',
        countryCode: 'DE',
        region: 'Berlin',
        price: 1.15,
        addressRequirements: 'local',
        smsCapable: false,
      },
      {
        phoneNumber: '+4915735980001',
        countryCode: 'DE',
        region: 'Berlin',
        price: 15,
        addressRequirements: 'none',
        smsCapable: true,
      },
    ]);
    const found = await carrier.numbers.search({ country: 'DE', contains: '0002', limit: 20 });
    assert.deepEqual(
      found.map(({ phoneNumber }) => phoneNumber),
      ['+493055550002'],
    );
    assert.equal((await carrier.numbers.search({ country: 'DE', contains: '', limit: 2 })).length, 2);
    assert.deepEqual(await carrier.numbers.search({ country: 'FR', contains: '', limit: 20 }), []);
  });

  test('cannot be searched while the carrier does not answer, and the error says so', async () => {
    const silent = await startLoopbackServer((_request, response) => {
      response.destroy();
    });
    const config = {
      ...credentials,
      apiKey: undefined,
      phoneNumber: undefined,
      callsPerSecond: 1,
      publicUrl,
    };
    const client = createTwilioClient({ ...config, apiUrl: silent.url });
    const numbers = new TwilioNumbers(client, new WebhookUrls(publicUrl));
    await assert.rejects(numbers.search({ country: 'DE', contains: '', limit: 20 }), {
      name: 'CarrierError',
      message: 'Twilio did not answer the request for prices (ECONNRESET). Try again later.',
    });
    await silent.close();
  });

  test('are bought once with the webhook of this service, and released', async () => {
    const owned = () => twilio.numbers.filter(({ phoneNumber }) => phoneNumber === '+493055550001');
    await carrier.numbers.buy('+493055550001');
    await carrier.numbers.buy('+493055550001');
    assert.deepEqual(
      owned().map(({ voiceUrl }) => voiceUrl),
      [`${publicUrl}/api/carrier/twilio/incoming`],
    );
    await carrier.numbers.release('+493055550001');
    await carrier.numbers.release('+493055550001');
    assert.deepEqual(owned(), []);
  });

  test('are not confused with longer numbers that begin with them', async () => {
    const [short, long] = ['+49305555000', '+493055550009'];
    twilio.offers.set('AT', { Local: [short] });
    twilio.own(long, 'https://other.example.com/');
    twilio.callerIds.push({ sid: 'PN3', phoneNumber: long });
    await carrier.numbers.buy(short);
    await carrier.numbers.release(short);
    await carrier.removeCallerId(short);
    assert.deepEqual(
      twilio.numbers
        .filter(({ phoneNumber }) => phoneNumber.startsWith(short))
        .map(({ voiceUrl }) => voiceUrl),
      ['https://other.example.com/'],
    );
    assert.deepEqual(
      twilio.callerIds.splice(0).map(({ sid }) => sid),
      ['PN3'],
    );
    const settings = {
      ...credentials,
      apiKey: undefined,
      apiUrl: twilio.url,
      callsPerSecond: 1,
      publicUrl: 'https://127.0.0.1:1',
    };
    const steps = await checkTwilio({ ...settings, phoneNumber: short }, {});
    const step = steps.find(({ name }) => name === 'number');
    assert.deepEqual([step?.isOk, step?.text.includes('neither')], [false, true]);
  });

  test('are checked for the webhook of this service', async () => {
    const publicUrl = 'https://127.0.0.1:1';
    const textOf = async (phoneNumber: string) => {
      const config = { ...credentials, apiKey: undefined, apiUrl: twilio.url, callsPerSecond: 1 };
      const steps = await checkTwilio({ ...config, publicUrl, phoneNumber }, {});
      return steps.find(({ name }) => name === 'number')?.text ?? '';
    };
    const incoming = `${publicUrl}/api/carrier/twilio/incoming`;
    twilio.own('+493055550005', incoming);
    twilio.own('+493055550006', 'https://demo.twilio.com/welcome');
    assert.match(await textOf('+493055550005'), /calls to it reach this service/);
    const text = await textOf('+493055550006');
    assert.ok(text.includes(`calls to it do not reach this service`) && text.includes(incoming), text);
  });

  test('are bought with the address and the regulatory bundle that their country requires', async () => {
    const [withAddress, withBundle] = ['+493055560001', '+493055560002'];
    twilio.offers.set('BE', { Local: [withAddress, withBundle] });
    twilio.requirements.set(withAddress, 'address').set(withBundle, 'bundle');
    await assert.rejects(carrier.numbers.buy(withAddress), /CarrierError: .* with an address/);
    await assert.rejects(carrier.numbers.buy(withBundle), /CarrierError: .* with a regulatory bundle/);
    twilio.addresses.push({ sid: 'AD1', country: 'FR' }, { sid: 'AD2', country: 'DE' });
    twilio.bundles.push(
      { sid: 'BU1', country: 'DE', status: 'draft' },
      { sid: 'BU2', country: 'DE', status: 'twilio-approved' },
    );
    for (const number of [withAddress, withBundle]) await carrier.numbers.buy(number);
    assert.deepEqual(
      twilio.numbers.slice(-2).map(({ phoneNumber }) => phoneNumber),
      [withAddress, withBundle],
    );
    assert.equal(new URLSearchParams(twilio.requests.at(-1)?.body).get('BundleSid'), 'BU2');
  });

  test('cannot be bought if they are no longer for sale', async () => {
    await assert.rejects(
      carrier.numbers.buy('+493099999999'),
      /CarrierError: The number is no longer available/,
    );
  });

  test('are removed from the verified caller IDs', async () => {
    twilio.callerIds.push({ sid: 'PN1', phoneNumber: '+4930777' }, { sid: 'PN2', phoneNumber: '+4930888' });
    await carrier.removeCallerId('+4930777');
    await carrier.removeCallerId('+4930777');
    assert.deepEqual(
      twilio.callerIds.map(({ sid }) => sid),
      ['PN2'],
    );
  });
});

describe('a recording', () => {
  test('is read completely or by range', async () => {
    const id = twilio.addRecording('CA');
    const { file = new Uint8Array() } = twilio.recordings.get(id) ?? {};
    const whole = await carrier.readRecording(id, undefined, never);
    assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), file);
    const part = await carrier.readRecording(id, 'bytes=10-19', never);
    assert.equal(part.status, 206);
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), file.subarray(10, 20));
    assert.equal((await carrier.readRecording(`RE${'0'.repeat(32)}`, undefined, never)).status, 404);
  });

  test('fails with the reason if it takes too long', async () => {
    const late = AbortSignal.abort(new DOMException('Too late.', 'TimeoutError'));
    await assert.rejects(carrier.readRecording(twilio.addRecording('CA'), undefined, late), {
      message: 'Twilio did not answer the request for a recording (TimeoutError).',
    });
  });

  test('can be deleted repeatedly', async () => {
    const id = twilio.addRecording('CA');
    await carrier.deleteRecording(id);
    assert.equal(twilio.recordings.has(id), false);
    await carrier.deleteRecording(id);
  });
});
