import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { AsteriskCarrier } from '../../src/service/carrier/asterisk/asterisk-carrier.ts';
import type {
  Admission,
  CallHandler,
  CallPlan,
  CallReport,
  IncomingCall,
  NextStep,
} from '../../src/service/carrier/carrier.ts';
import type { Line, LineEvent, Spoken } from '../../src/service/voice/line.ts';
import { LineFactory } from '../../src/service/realtime/line-factory.ts';
import { OpenAiSynthesizer } from '../../src/service/voice/openai-synthesizer.ts';
import { OpenAiTranscriber } from '../../src/service/voice/openai-transcriber.ts';
import { Resampler } from '../../src/service/voice/resampler.ts';
import { TurnDetector } from '../../src/service/voice/turn-detector.ts';
import { callPlan, noRealtime } from '../support/calls/call-plan.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { credentials, endpoint, phones, ports, startAsterisk } from '../support/telephone/asterisk.ts';
import { Phone, phoneRate } from '../support/telephone/baresip.ts';
import { readWav, startSpeechServer } from '../support/telephone/speech-server.ts';
import { eventually } from '../support/eventually.ts';
import { record } from '../support/voice/recording.ts';

/*
 * Real calls over the loopback interface: Asterisk with the documented configuration, and baresip as the customer. They
 * take their real time.
 */
const cacheFolder = process.env['TELEPHONE_CACHE'] ?? '/var/tmp/voice-assistant-chat-telephone';
const never = new AbortController().signal;
/** A sentence that can be transcribed over a telephone line, too. */
const greeting = 'We are open from Monday to Friday.';

describe('a call through Asterisk', () => {
  let asterisk: Awaited<ReturnType<typeof startAsterisk>>;
  let speech: Awaited<ReturnType<typeof startSpeechServer>>;
  let model: RealtimeEndpoint;
  let carrier: AsteriskCarrier;
  let customer: Phone;
  let colleague: Phone;
  let handler: Handler;
  const started: Phone[] = [];

  before(async () => {
    asterisk = await startAsterisk(cacheFolder);
    speech = await startSpeechServer();
    model = await RealtimeEndpoint.open();
    const server = { baseUrl: speech.baseUrl, apiKey: undefined, model: 'any' };
    carrier = new AsteriskCarrier(
      {
        url: asterisk.url,
        ...credentials,
        endpoint,
        application: 'voice-assistant-chat',
        phoneNumber: '+15559990000',
      },
      new LineFactory({
        speech: {
          synthesizer: new OpenAiSynthesizer({ ...server, voice: 'any' }),
          transcriber: new OpenAiTranscriber(server),
        },
        ...noRealtime,
        models: [
          {
            ...{ code: 'talker', name: 'Talker', type: 'multimodal', endpoint: undefined },
            realtime: { baseUrl: model.baseUrl, apiKey: model.key, model: 'any', voices: [] },
          },
        ],
      }),
      pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
    );
    carrier.open({
      planOf: () => handler.planOf(),
      onConnected: (call, line) => handler.onConnected(call, line),
      onReport: (report) => handler.onReport(report),
      onDisconnected: (call) => handler.onDisconnected(call),
      onIncoming: (call) => handler.onIncoming(call),
    });
  });

  after(async () => {
    await carrier.close();
    await Promise.all(started.map((phone) => phone.stop()));
    await speech.close();
    await model.close();
    await asterisk.stop();
  });

  beforeEach(async () => {
    await Promise.all(started.splice(0).map((phone) => phone.stop()));
    await eventually('the end of all calls', () => asterisk.isIdle());
    handler = new Handler();
    speech.spoken.length = 0;
    customer = await startPhone(phones.customer, ports.customer);
  });

  const startPhone = async (number: string, port: number, answers = true) => {
    const folder = join(cacheFolder, `phone-${String(port)}`);
    const phone = await Phone.start({ folder, number, port, answers });
    started.push(phone);
    return phone;
  };

  const dial = (plan: Partial<CallPlan> = {}) =>
    carrier.dial({ ...newPlan(), ...plan, from: '', to: phones.customer, ringingTime: 20 });

  const sound = async (text: string) => {
    const { samples, rate } = await record(text);
    return new Resampler(rate, phoneRate).convert(samples);
  };
  const question = () => sound('I would like to book a table for two people tomorrow evening.');

  /** Transcribes a recording, one utterance after another, since the model drops speech around long pauses. */
  const understand = async (file: Buffer | undefined) => {
    const { samples, rate } = await readWav(file ?? Buffer.alloc(0));
    const turns = new TurnDetector(rate, { pause: 0.7, shortest: 0.12 });
    const texts: string[] = [];
    const frame = rate * 0.02;
    for (let at = 0; at < samples.length + rate; at += frame) {
      const event = turns.detect(
        at < samples.length ? samples.subarray(at, at + frame) : new Int16Array(frame),
      );
      if (event?.type === 'ended') texts.push(await speech.transcribe(event.utterance().samples, rate));
    }
    return texts.join(' ');
  };

  it('plays the greeting to the customer', async () => {
    handler.converse = async (line) => {
      handler.spoken = await say(line, greeting);
      await line.hangUp();
    };
    const carrierCallId = await dial();
    await handler.end();
    assert.deepEqual(
      handler.reports.map(({ type }) => type),
      ['ringing', 'ended'],
    );
    assert.equal(handler.reports[0]?.carrierCallId, carrierCallId);
    assert.equal(handler.spoken?.played, greeting);
    assert.match(await understand(customer.heard()[0]), /Monday to Friday/i);
  });

  it('transcribes the customer’s question', async () => {
    handler.converse = async (line) => {
      await say(line, 'How can I help you?');
      customer.speak(await question());
      handler.events.push(await line.next(30, never));
      await line.hangUp();
    };
    await dial();
    await handler.end();
    const [event] = handler.events;
    assert(event?.type === 'said');
    assert.match(event.text, /book a table for two people/i);
    assert(event.seconds > 2 && event.seconds < 6, `spoken in ${String(event.seconds)} s`);
  });

  it('stops speaking when the customer interrupts', async () => {
    const sentences = 'one two three four five six seven eight nine ten eleven twelve'
      .split(' ')
      .map((number) => `This is sentence number ${number}. `);
    handler.converse = async (line) => {
      const saying = say(line, ...sentences);
      await eventually('the third sentence', () =>
        speech.spoken.some((text) => text.endsWith('number four.')),
      );
      customer.speak(await question());
      handler.spoken = await saying;
      handler.events.push(await line.next(30, never));
      await line.hangUp();
    };
    await dial();
    await handler.end();
    assert.equal(handler.spoken?.cutOffBy, 'customer');
    assert.match(handler.spoken.played, /^This is sentence number one\./);
    assert(handler.spoken.played.length < sentences.join('').length / 2, handler.spoken.played);
    assert.equal(handler.events[0]?.type, 'said');
    const heard = await understand(customer.heard()[0]);
    assert.doesNotMatch(heard, /twelve|12/i);
  });

  it('pauses when the customer makes a sound, and resumes if it was no interruption', async () => {
    handler.converse = async (line) => {
      const saying = say(line, 'This is sentence number one. ', 'This is sentence number two. ', greeting);
      await eventually('the second sentence', () =>
        speech.spoken.some((text) => text.endsWith('number two.')),
      );
      const cough = (await question()).subarray(0, 0.3 * phoneRate);
      customer.speak(cough);
      handler.spoken = await saying;
      await line.hangUp();
    };
    await dial();
    await handler.end();
    assert.equal(handler.spoken?.cutOffBy, undefined);
    assert.match(await understand(customer.heard()[0]), /Monday to Friday/i);
  });

  it('connects the customer to a realtime model', async () => {
    model.words.push('I would like to book a table.');
    handler.converse = async (line) => {
      const speaker = await line.openSpeaker?.({
        instructions: 'You take reservations.',
        turnInstructions: { silence: '', reconnected: '', 'transfer-unanswered': '' },
        ...{ tools: [], history: [], replyMs: 10_000, recordUsage: () => undefined },
      });
      assert(speaker);
      await say(line, 'Welcome to the restaurant at the lake.');
      customer.speak(await question());
      handler.events.push(await line.next(30, never));
      await line.hangUp();
    };
    await dial({ mode: 'multimodal', model: 'talker' });
    await handler.end();
    const [event] = handler.events;
    assert(event?.type === 'said');
    assert.equal(event.text, 'I would like to book a table.');
    // The model's voice is a tone of 0.2 seconds for each of seven words.
    const { samples, rate } = await readWav(customer.heard()[0] ?? Buffer.alloc(0));
    const loud = samples.filter((sample) => Math.abs(sample) > 1000).length / rate;
    assert(loud > 0.7, `${loud.toFixed(1)} s`);
  });

  it('receives the keys that the customer presses, and sends keys', async () => {
    handler.converse = async (line) => {
      await say(line, 'Press five.');
      await customer.press('5');
      handler.events.push(await line.next(30, never));
      await line.sendDigits('1w2#');
      await eventually('the keys', () => customer.keys === '12#');
      await line.hangUp();
    };
    await dial();
    await handler.end();
    assert.deepEqual(handler.events, [{ type: 'dtmf', digit: '5' }]);
    assert.equal(customer.keys, '12#');
  });

  it('plays an ambient sound to the customer, which is not detected as speech', async () => {
    handler.converse = async (line) => {
      await say(line, greeting);
      handler.events.push(await line.next(4, never));
      await line.hangUp();
    };
    const { speech } = newPlan();
    await dial({ speech: { ...speech, ambientSound: { name: 'cafe', volume: 1 } } });
    await handler.end();
    assert.deepEqual(handler.events, [undefined]);
    // The transcription misses words with noise.
    assert.match(await understand(customer.heard()[0]), /Friday/i);
    const { samples, rate } = await readWav(customer.heard()[0] ?? Buffer.alloc(0));
    // The three seconds before the last one, after the assistant has spoken.
    const background = samples.subarray(-4 * rate, -rate);
    const parts = Array.from({ length: 30 }, (_, index) =>
      background.subarray((index * rate) / 10, ((index + 1) * rate) / 10),
    );
    const silent = parts.filter((part) => part.every((sample) => Math.abs(sample) < 20));
    assert(silent.length <= 2, `${String(silent.length)} of 30 parts are silent`);
  });

  it('detects an answering machine after its greeting', async () => {
    const recorded = await sound(
      'Hello. You have reached the answering machine of the Miller family. We are not at home right now. Please leave your name and number after the tone.',
    );
    let saidAt = 0;
    handler.converse = async (line) => {
      customer.speak(recorded);
      saidAt = performance.now();
      await handler.report('identified');
      await line.hangUp();
    };
    await dial();
    const { by } = await handler.report('identified');
    const seconds = (performance.now() - saidAt) / 1000;
    assert.equal(by, 'machine');
    const least = recorded.length / phoneRate - 1;
    assert(seconds > least, `found after ${String(seconds)} s of ${String(least)}`);
    await handler.end();
  });

  it('detects a person', async () => {
    const hello = await sound('Hello?');
    handler.converse = async (line) => {
      customer.speak(hello);
      await handler.report('identified');
      await line.hangUp();
    };
    await dial();
    assert.equal((await handler.report('identified')).by, 'human');
    await handler.end();
  });

  it('does not detect a machine if the customer listens first', async () => {
    handler.converse = async (line) => {
      await say(line, 'Good morning. This is the restaurant at the lake. How can I help you today?');
      customer.speak(await question());
      handler.events.push(await line.next(30, never));
      await line.hangUp();
    };
    await dial();
    await handler.end();
    assert.equal(handler.events[0]?.type, 'said');
    assert(!handler.reports.some(({ type }) => type === 'identified'));
  });

  it('ends when the customer hangs up', async () => {
    handler.converse = async (line) => {
      const saying = say(
        line,
        'Let me tell you a long story about the history of telephones and their inventors.',
      );
      await eventually('the sound', () => speech.spoken.some((text) => text.includes('long story')));
      customer.hangUp();
      handler.spoken = await saying;
      handler.events.push(await line.next(30, never));
    };
    await dial();
    await handler.end();
    assert.equal(handler.spoken?.cutOffBy, 'end');
    assert.deepEqual(handler.events, [{ type: 'ended', by: 'customer' }]);
    assert.deepEqual(handler.disconnected, []);
  });

  it('reports a busy line', async () => {
    await customer.stop();
    customer = await startPhone(phones.customer, ports.customer, false);
    await dial();
    await eventually('the call', () => customer.count('CALL_INCOMING') > 0);
    customer.hangUp();
    assert.equal((await handler.report('unreached')).reason, 'busy');
  });

  it('reports a call that nobody answers', async () => {
    await customer.stop();
    customer = await startPhone(phones.customer, ports.customer, false);
    await carrier.dial({ ...newPlan(), from: '', to: phones.customer, ringingTime: 2 });
    assert.equal((await handler.report('unreached')).reason, 'no-answer');
    assert.deepEqual(handler.reports[0]?.type, 'ringing');
  });

  it('records both sides of a call', async () => {
    handler.converse = async (line) => {
      await say(line, 'This call is recorded.');
      customer.speak(await question());
      await line.next(30, never);
      await line.hangUp();
    };
    await dial({ record: true });
    const { recordingId, seconds } = await handler.report('recorded');
    assert(seconds >= 3, `recorded ${String(seconds)} s`);
    const whole = Buffer.from(
      await (await carrier.readRecording(recordingId, undefined, never)).arrayBuffer(),
    );
    assert.match(await understand(whole), /call is recorded.*tomorrow evening/i);
    await carrier.deleteRecording(recordingId);
    assert.equal((await carrier.readRecording(recordingId, undefined, never)).status, 404);
    await carrier.deleteRecording(recordingId);
  });

  it('transfers the customer to another phone', async () => {
    colleague = await startPhone(phones.colleague, ports.colleague);
    handler.nextStep = (cause) => (cause === 'left' ? transferTo(phones.colleague) : { type: 'hang-up' });
    handler.converse = async (line) => {
      await say(line, 'I will connect you.');
      await line.leave();
    };
    await dial();
    await eventually('the colleague', () => colleague.count('CALL_ESTABLISHED') > 0);
    await eventually('the transfer', () => asterisk.isConnected());
    customer.speak(await question());
    colleague.speak(await sound('Welcome to the kitchen.'));
    await pause(6000);
    colleague.hangUp();
    await handler.end();
    assert.deepEqual(handler.disconnected, ['left', 'transferred']);
    assert.match(await understand(colleague.heard()[0]), /book a table for two/i);
    assert.match(await understand(customer.heard()[0]), /connect you.*welcome to the kitchen/i);
  });

  it('returns to the assistant when nobody answers the transfer', async () => {
    colleague = await startPhone(phones.colleague, ports.colleague, false);
    const plan = newPlan();
    handler.nextStep = (cause) =>
      cause === 'left' ? transferTo(phones.colleague, 2) : { type: 'connect', plan };
    handler.converse = async (line, count) => {
      if (count === 1) return line.leave();
      // Separates the ringing from the assistant's words in the recording.
      await pause(1500);
      await say(line, 'The number did not answer. Can I help you instead?');
      await line.hangUp();
    };
    await dial(plan);
    await handler.end();
    assert.deepEqual(handler.disconnected, ['left', 'unanswered']);
    const { samples, rate } = await readWav(customer.heard()[0] ?? Buffer.alloc(0));
    assert.match(await speech.transcribe(samples.subarray(-3 * rate), rate), /help you instead/i);
  });

  it('answers an inbound call', async () => {
    handler.admit = () => ({ type: 'accept', plan: newPlan() });
    handler.converse = async (line) => {
      await say(line, greeting);
      await line.hangUp();
    };
    customer.dial('+15559990000', ports.sip);
    await handler.end();
    assert.deepEqual(
      handler.incoming.map(({ from, to }) => ({ from, to })),
      [{ from: phones.customer, to: '+15559990000' }],
    );
    assert.match(await understand(customer.heard()[0]), /Monday to Friday/i);
  });

  it('refuses an inbound call before it is answered', async () => {
    customer.dial('+15559990000', ports.sip);
    await eventually('the refusal', () => customer.count('CALL_CLOSED') > 0);
    assert.equal(customer.count('CALL_ESTABLISHED'), 0);
  });

  it('ends a call by its id', async () => {
    handler.converse = async (line) => {
      handler.events.push(await line.next(30, never));
    };
    const id = await dial();
    await eventually('the line', () => handler.lineCount === 1);
    await carrier.hangUp(id);
    await handler.end();
    await carrier.hangUp(id);
  });

  it('is ended by Asterisk after its maximum duration', async () => {
    handler.converse = async (line) => {
      handler.events.push(await line.next(60, never));
    };
    await carrier.dial({ ...newPlan(), from: '', to: phones.customer, ringingTime: 1, maxDuration: 2 });
    const { seconds } = await handler.report('ended');
    assert(seconds >= 2 && seconds < 20, `ended after ${String(seconds)} s`);
  });
});

/** Handles calls as a test specifies. */
class Handler implements CallHandler {
  readonly reports: CallReport[] = [];
  readonly disconnected: string[] = [];
  readonly events: (LineEvent | undefined)[] = [];
  readonly incoming: IncomingCall[] = [];
  spoken: Spoken | undefined;
  lineCount = 0;
  finishedCount = 0;
  converse: (line: Line, count: number) => Promise<void> = (line) => line.hangUp();
  nextStep: (cause: string) => NextStep = () => ({ type: 'hang-up' });
  admit: () => Admission = () => ({ type: 'refuse', reason: 'rejected' });

  planOf(): Promise<never> {
    return Promise.reject(new Error('Asterisk has the plan.'));
  }

  async onConnected(_call: object, line: Line): Promise<void> {
    await this.converse(line, ++this.lineCount);
    this.finishedCount++;
  }

  /** Waits for the end of the call, on both sides. */
  async end(): Promise<void> {
    await this.report('ended');
    await eventually('the end of the conversation', () => this.finishedCount === this.lineCount);
  }

  onReport(report: CallReport): Promise<void> {
    this.reports.push(report);
    return Promise.resolve();
  }

  onDisconnected({ cause }: { cause: string }): Promise<NextStep> {
    this.disconnected.push(cause);
    return Promise.resolve(this.nextStep(cause));
  }

  onIncoming(call: IncomingCall): Promise<Admission> {
    this.incoming.push(call);
    return Promise.resolve(this.admit());
  }

  report<Type extends CallReport['type']>(type: Type): Promise<Extract<CallReport, { type: Type }>> {
    return eventually(`the report "${type}"`, () =>
      this.reports.find((report): report is Extract<CallReport, { type: Type }> => report.type === type),
    );
  }
}

const transferTo = (to: string, ringingTime = 20): NextStep => ({
  type: 'transfer',
  to,
  callerId: phones.customer,
  ringingTime,
  maxDuration: 60,
});

const newPlan = (): CallPlan => callPlan({ token: randomUUID(), maxDuration: 120 });

async function say(line: Line, ...chunks: string[]): Promise<Spoken> {
  // eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a model
  async function* stream() {
    yield* chunks;
  }
  return line.say(stream(), 60, never);
}
