import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChallenge, solveChallenge } from 'altcha-lib/v1';
import type { Challenge } from 'altcha-lib/v1/types';
import { ChatClient } from '../../src/client/chat-client.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const client = new ChatClient({ baseUrl: service.url });

/** Opens a conversation whose visitor has sent half of the daily limit. */
async function halfUsed(proofOfWork = true): Promise<string> {
  const limits = { maxVisitorMessagesPerDay: 8, proofOfWork };
  const { uuid } = await createAssistant(service, { balance: '1', limits });
  const conversation = await service.open(uuid);
  for (let sent = 0; sent < 4; sent++) {
    assert.equal((await service.send(conversation, 'Hi')).status, 200);
  }
  return conversation;
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

async function solve({ algorithm, challenge, salt, signature, maxnumber }: Challenge): Promise<string> {
  const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
  return btoa(JSON.stringify({ algorithm, challenge, number: solution?.number, salt, signature }));
}

test('a visitor who has sent half of the daily limit solves a challenge for each message', async () => {
  const conversation = await halfUsed();
  for (let sent = 0; sent < 2; sent++) {
    const challenge = await challengeOf(conversation);
    assert.equal(challenge.maxnumber, 10_000);
    assert.equal((await send(conversation, await solve(challenge))).status, 200);
  }
  // Refused messages are neither stored nor counted nor paid.
  assert.equal((await service.history(conversation)).filter((line) => line.startsWith('user')).length, 6);
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
  const proof = await solve(await challengeOf(one));
  assert.equal((await send(other, proof)).status, 428);
  assert.equal((await send(one, proof)).status, 200);
  assert.equal((await send(one, proof)).status, 428);
});

test('of simultaneous messages with the same solution, one is accepted', async () => {
  const conversation = await halfUsed();
  const proof = await solve(await challengeOf(conversation));
  const answers = await Promise.all([send(conversation, proof), send(conversation, proof)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 428]);
});

test('forged and malformed solutions are refused with a new challenge', async () => {
  const conversation = await halfUsed();
  const genuine = await challengeOf(conversation);
  const payload = JSON.parse(atob(await solve(genuine))) as Record<string, unknown>;
  const params = { conversation, turn: '5' };
  const own = await createChallenge({ hmacKey: 'guessed', maxNumber: 10, params });
  const encode = (value: unknown) => btoa(JSON.stringify(value));
  const forged = [
    await solve(own),
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
