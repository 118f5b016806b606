import { once } from 'node:events';
import { readConfig } from '../../../src/service/config.ts';
import { createLog } from '../../../src/service/log.ts';
import { serve } from '../../../src/service/serve.ts';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { Owner } from '../../support/records/owner.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { ServiceClient } from '../../support/service/service-client.ts';
import { eventually } from '../../support/eventually.ts';
import type { FakeRelay } from '../../support/twilio/fake-relay.ts';
import { twilioSettings, FakeTwilio } from '../../support/twilio/fake-twilio.ts';

/*
 * `npm run bench:first-word`: measures the wait for the first word of an answer, from the carrier's transcript until it
 * receives the first text. The carrier is the fake Twilio and the model is the offline engine, so this is the
 * service's share, without the time of a language model and the carrier's speech.
 */
const questions = 200;
const own = '+493012345678';

const postgres = await startPostgres();
const twilio = await FakeTwilio.start();
twilio.own(own);
try {
  const config = readConfig({
    ...twilioSettings(twilio),
    ...{ PORT: '0', DATABASE_URL: postgres.url('postgres'), TWILIO_PHONE_NUMBER: own, VOICE: 'off' },
    ...{ RATE_LIMIT: '0', LOG_LEVEL: 'error', MAX_CALLS_IN_PARALLEL: '0' },
  });
  const running = await serve(config, { log: createLog('error') });
  const service = Object.assign(new ServiceClient(running.url), { running });
  twilio.reach(service.url);
  const owner = await Owner.create(service, '1000');
  const assistant = await owner.create('assistant', assistantBody({ initial_message: 'Hello.' }));
  for (const calls of [1, 20, 100]) {
    const relays: FakeRelay[] = [];
    for (let index = 0; index < calls; index++) {
      const to = `+4930876${String(calls * 100 + index).padStart(5, '0')}`;
      await owner.post('make_call', { phone_number: to, assistant_id: assistant.id });
      const call = await twilio.call(to);
      await call.answer();
      const relay = await call.connected();
      await relay.hears('Hello.');
      relays.push(relay);
    }
    const waits = await Promise.all(
      relays.map((relay) => ask(relay, Math.max(2, Math.ceil(questions / calls)))),
    );
    console.log(`${String(calls)} calls at once: ${describe(waits.flat())}`);
    for (const relay of relays) relay.hangUp();
  }
  await running.close();
} finally {
  await twilio.close();
  await postgres.stop();
}

/** Asks questions one after another, and returns the milliseconds until the first word of each answer. */
async function ask(relay: FakeRelay, count: number): Promise<number[]> {
  const waits: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = relay.played.length;
    const from = relay.frames.length;
    const start = performance.now();
    relay.say('When do you open?');
    while (!relay.frames.slice(from).some((frame) => frame.type === 'text' && frame.token !== ''))
      await once(relay.socket, 'message');
    waits.push(performance.now() - start);
    await eventually(
      () => 'the end of an answer',
      () => relay.played.length > before || undefined,
    );
  }
  return waits;
}

function describe(waits: number[]): string {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? NaN).toFixed(0);
  return `median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms (${String(sorted.length)} answers)`;
}
