import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LineEvent, Spoken } from '../../src/service/carrier/telephony.ts';
import { never, outgoing, startCarrier, to, tokens } from '../support/twilio/carrier-under-test.ts';

const { twilio, service, carrier } = await startCarrier();

const minute = 60;

test('it greets, answers what the customer asks, and hangs up after its last words', async () => {
  const events: (LineEvent | undefined)[] = [];
  const spoken: Spoken[] = [];
  service.converse = async (line) => {
    spoken.push(await line.say(tokens('Hello, this is ', 'Ada.'), minute, never));
    events.push(await line.next(minute, never));
    spoken.push(await line.say(tokens('We open ', 'at nine. ', 'Goodbye!'), minute, never));
    await line.hangUp();
  };
  const sid = await carrier.dial(outgoing);
  const call = await twilio.call(to);
  assert.equal(sid, call.sid);
  await call.ring();
  await call.answer();
  const relay = await call.connected();
  await relay.hears('Hello, this is Ada.');
  relay.say('When do you open?');
  await relay.hears('We open at nine. Goodbye!');
  await call.over();

  assert.deepEqual(
    spoken.map(({ heard, cutOffBy }) => ({ heard, cutOffBy })),
    [
      { heard: 'Hello, this is Ada.', cutOffBy: undefined },
      { heard: 'We open at nine. Goodbye!', cutOffBy: undefined },
    ],
  );
  assert.equal(events[0]?.type === 'said' && events[0].text, 'When do you open?');
  assert.deepEqual(service.connections, [{ callId: 7, token: outgoing.token, carrierCallId: sid }]);
  assert.deepEqual(
    service.reports.map(({ type }) => type),
    ['ringing', 'ended'],
  );
  assert.deepEqual(service.disconnections, []);
  assert.deepEqual([call.problems, relay.problems], [[], []]);
});
