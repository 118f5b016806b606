import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { createChallenge } from 'altcha-lib/v1';
import type { Challenge } from 'altcha-lib/v1/types';
import { ChatClient } from '../../src/client/chat-client.ts';
import { createAssistant, startService } from '../support/service/service.ts';
import { utcDay } from '../support/utc-day.ts';

// Limits start again at midnight (UTC).
beforeEach(utcDay);

const service = await startService();
const client = new ChatClient({ baseUrl: service.url });

/** Opens a conversation whose visitor has sent half of the daily limit, or another share. */
async function halfUsed(proofOfWork = true, share = 0.5): Promise<string> {
  const limits = { maxVisitorMessagesPerDay: 8, proofOfWork };
  const assistant = await createAssistant(service, { balance: '1', limits });
  const conversation = await service.open(assistant.uuid);
  for (let sent = 0; sent < 4; sent++) {
    assert.equal((await service.send(conversation, 'Hi')).status, 200);
  }
  await use(assistant.id, share);
  return conversation;
}

/** Sets the share of the daily limit that the visitor has used, of 1,000 messages. */
async function use(assistantId: number, share: number): Promise<void> {
  const { pool } = service.running.database;
  await pool.query('UPDATE assistants SET max_visitor_messages_per_day = 1000 WHERE id = $1', [assistantId]);
  await pool.query("UPDATE daily_usage SET messages = $2 WHERE assistant_id = $1 AND kind = 'visitor'", [
    assistantId,
    share * 1000,
  ]);
}

const send = (conversation: string, proof?: string) =>
  service.send(conversation, 'Hi', {}, { proof_of_work: proof });

/** Returns the challenge for the next message. */
async function challengeOf(conversation: string): Promise<Challenge> {
  const { status, json } = await send(conversation);
  assert.equal(status, 428);
  assert.equal(json['error'], 'Proof of work required.');
  return json['proof_of_work'] as Challenge;
}

/** Solves a challenge as a script would, without pauses. */
function solve({ algorithm, challenge, salt, signature }: Challenge): string {
  let number = 0;
  while (
    createHash('sha256')
      .update(salt + String(number))
      .digest('hex') !== challenge
  )
    number++;
  return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));
}

test('a visitor who has sent half of the daily limit solves a challenge for each message', async () => {
  const conversation = await halfUsed();
  for (let sent = 0; sent < 2; sent++) {
    const challenge = await challengeOf(conversation);
    assert.equal((await send(conversation, solve(challenge))).status, 200);
  }
  // Refused messages are neither stored nor counted nor paid.
  assert.equal((await service.history(conversation)).filter((line) => line.startsWith('user')).length, 6);
});

test('a challenge takes at most 10,000 attempts at half of the limit, and at most 100,000 at its end', async () => {
  const attempts: number[] = [];
  for (const share of [0.5, 0.6, 0.7, 0.8, 0.9, 0.999]) {
    const { maxnumber = NaN } = await challengeOf(await halfUsed(true, share));
    attempts.push(maxnumber);
  }
  const [first = NaN, ...others] = attempts;
  assert.ok(first >= 10_000 && first < 10_200, String(first));
  others.forEach((most, index) => {
    assert.ok(most > (attempts[index] ?? NaN) * 1.5, attempts.join(', '));
  });
  assert.equal(attempts.at(-1), 100_000);
  const conversation = await halfUsed(true, 0.999);
  assert.equal((await send(conversation, solve(await challengeOf(conversation)))).status, 200);
});

test('an easy challenge of an unsent message is no longer valid when more of the limit is used', async () => {
  const limits = { maxVisitorMessagesPerDay: 8, proofOfWork: true };
  const { uuid, id } = await createAssistant(service, { limits });
  const conversation = await service.open(uuid);
  await service.send(conversation, 'Hi');
  await use(id, 0.5);
  const easy = solve(await challengeOf(conversation));
  await use(id, 0.75);
  assert.equal((await send(conversation, easy)).status, 428);
  // Messages of other visitors of the address meanwhile do no harm.
  await use(id, 0.501);
  assert.equal((await send(conversation, easy)).status, 200);
});

test('the client solves challenges by itself, for whole and for streamed answers', async () => {
  const conversation = await halfUsed();
  assert.ok((await client.sendMessage(conversation, 'Hello')).message);
  let streamed = '';
  const listeners = { onDelta: (text: string) => (streamed += text) };
  const { message } = await client.streamMessage(conversation, 'Hello', listeners);
  assert.equal(streamed, message);
});

test('nothing has to be solved unless the assistant requires it', async () => {
  const conversation = await halfUsed(false);
  assert.equal((await send(conversation)).status, 200);
});

test('a solution is valid for one message of its conversation', async () => {
  const [one, other] = [await halfUsed(), await halfUsed()];
  const proof = solve(await challengeOf(one));
  assert.equal((await send(other, proof)).status, 428);
  assert.equal((await send(one, proof)).status, 200);
  assert.equal((await send(one, proof)).status, 428);
});

test('of simultaneous messages with the same solution, one is accepted', async () => {
  const conversation = await halfUsed();
  const proof = solve(await challengeOf(conversation));
  const answers = await Promise.all([send(conversation, proof), send(conversation, proof)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 428]);
});

test('forged and malformed solutions are refused with a new challenge', async () => {
  const conversation = await halfUsed();
  const genuine = await challengeOf(conversation);
  const payload = JSON.parse(atob(solve(genuine))) as Record<string, unknown>;
  const params = { conversation, turn: '5' };
  const own = await createChallenge({ hmacKey: 'guessed', maxNumber: 10, params });
  const encode = (value: unknown) => btoa(JSON.stringify(value));
  const forged = [
    solve(own),
    encode({ ...payload, number: Number(payload['number']) + 1 }),
    encode({ ...payload, algorithm: 'SHA-1' }),
    encode({ ...payload, algorithm: 'none' }),
    encode({ ...payload, salt: String(payload['salt']).replace('turn=5', 'turn=6') }),
    encode(null),
    encode([]),
    'no Base64!',
    '',
  ];
  for (const proof of forged) {
    const { status, json } = await send(conversation, proof);
    assert.equal(status, 428, proof);
    assert.notDeepEqual(json['proof_of_work'], genuine);
  }
  assert.equal((await send(conversation, 'x'.repeat(2001))).status, 422);
});
