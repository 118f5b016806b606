import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../src/contract/call.ts';
import { CallWebhook } from '../../src/contract/webhook.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { readStereoWav } from '../support/calls/stereo-wav.ts';
import { said, visit } from '../support/calls/web-visitor.ts';
import { Owner } from '../support/records/owner.ts';
import { eventually } from '../support/eventually.ts';
import { startWebhookReceiver, verify } from '../support/servers/webhook-receiver.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';

const receiver = await startWebhookReceiver();
atEnd(() => receiver.server.close());
const voice = new MemoryVoice();
const service = await startService(
  { ...(await newDatabase()), WORKERS: 'on', ALLOW_PRIVATE_ADDRESSES: receiver.server.address },
  { voice },
);
const { pool } = service.running.database;

/** A visitor of an assistant with a webhook. */
async function visitOwner(
  limits: NonNullable<Parameters<typeof visit>[0]>['limits'] = {},
  type: 'widget' | 'test' = 'widget',
) {
  const owner = await Owner.create(service, '1');
  const url = receiver.address();
  const visitor = await visit({
    ...{ service, voice, type },
    userId: owner.id,
    variables: { shop: 'Nordkamm' },
    limits: { isWebhookActive: true, webhookUrl: url, ...limits },
  });
  return { ...visitor, owner, url, uuid: visitor.path.split('/').at(-1) };
}
type Visitor = Awaited<ReturnType<typeof visitOwner>>;

/** Calls, says something and hangs up. */
async function talk(visitor: Visitor, words: string): Promise<void> {
  assert.equal((await visitor.call()).status, 201);
  const { browser } = visitor.voice;
  await said(browser, 1);
  browser.say(words);
  await said(browser, 2);
  assert.equal((await visitor.hangUp()).status, 200);
}

/** Waits until the end of a visitor's calls was handled. */
const handled = ({ owner }: Visitor) =>
  eventually('the end to be handled', async () => {
    const { rows } = await pool.query<{ open: number }>(
      `SELECT (SELECT count(*)::integer FROM calls WHERE user_id = $1 AND end_handled_at IS NULL)
         + (SELECT count(*)::integer FROM webhook_deliveries WHERE user_id = $1 AND status = 'pending') AS open`,
      [owner.id],
    );
    return rows[0]?.open === 0 ? true : undefined;
  });

/** The only call of a visitor, as its owner reads it. */
async function readCall({ owner }: Visitor) {
  const { json } = await owner.get('calls');
  const listed = json['data'] as Call[];
  assert.equal(listed.length, 1);
  const { json: call } = await owner.get(`calls/${String(listed[0]?.id)}`);
  assert.deepEqual(call, listed[0]);
  return call;
}

describe('the end of a web call', () => {
  it('sends one webhook with transcript, duration and recording', async () => {
    const visitor = await visitOwner({ record: true });
    await talk(visitor, 'What are your opening hours?');
    // Ending it again changes nothing.
    assert.equal((await visitor.hangUp()).status, 200);
    const [request] = await receiver.received(visitor.url, 1);
    await handled(visitor);
    assert.equal(receiver.requests(visitor.url).length, 1);
    const { json } = await visitor.owner.get('webhook-secret');
    const body = CallWebhook.parse(verify(String(json['secret']), request));
    const call = await readCall(visitor);
    const history = (await visitor.history()).map((line) =>
      line.replace(/^assistant/, 'AI').replace(/^user/, 'Customer'),
    );
    assert.deepEqual(body, {
      id: call.id,
      conversation_id: visitor.uuid,
      ...{ customer_phone: '', assistant_phone: '' },
      duration: call.duration,
      status: 'completed',
      extracted_variables: {},
      input_variables: { shop: 'Nordkamm' },
      transcript: history.join('\n'),
      recording_url: call.recording_url,
      ...{ created_at: body.created_at, finished_at: body.finished_at },
      ...{ lead: null, campaign: null },
    });
    assert(body.duration >= 1);
    const { transcript, total_cost, carrier_cost, type, conversation_id, webhook_response } = call;
    assert.deepEqual(
      { transcript, total_cost, carrier_cost, type, conversation_id, status: webhook_response['status'] },
      {
        ...{ transcript: body.transcript, total_cost: 0.05, carrier_cost: 0, type: 'web' },
        ...{ conversation_id: visitor.uuid, status: 200 },
      },
    );
    const recording = await fetch(String(body.recording_url));
    assert.equal(recording.headers.get('Content-Type'), 'audio/wav');
    const { right } = readStereoWav(Buffer.from(await recording.arrayBuffer()));
    assert(right.some((sample) => sample !== 0));
  });

  it('sends no recording_url if nothing was recorded or the assistant excludes it from webhooks', async () => {
    const unrecorded = await visitOwner();
    await talk(unrecorded, 'Hello?');
    const [first] = await receiver.received(unrecorded.url, 1);
    await handled(unrecorded);
    assert.equal((first?.body ? (JSON.parse(first.body) as CallWebhook) : {}).recording_url, null);
    assert.equal('recording_url' in (await readCall(unrecorded)), false);

    const secret = await visitOwner({ record: true, includeRecordingInWebhook: false });
    await talk(secret, 'Hello?');
    const [second] = await receiver.received(secret.url, 1);
    await handled(secret);
    assert.equal(second?.body.includes('recording_url'), false);
    assert.match(String((await readCall(secret)).recording_url), /\/api\/recordings\/[\w-]{43}$/);
  });

  it('sends the webhook after the evaluation', async () => {
    const visitor = await visitOwner({
      postCallEvaluation: true,
      postCallSchema: [{ name: 'budget', type: 'number', description: 'What they want to spend' }],
    });
    await talk(visitor, 'My budget is 300 euros, thanks.');
    const [request] = await receiver.received(visitor.url, 1);
    const body = JSON.parse(request?.body ?? '{}') as CallWebhook;
    assert.deepEqual(body.extracted_variables, { budget: 300 });
    await handled(visitor);
    const call = await readCall(visitor);
    assert.deepEqual(call.variables, { budget: 300 });
    assert.deepEqual(call.evaluation, { sentiment: 'positive', score: 1 });
    assert.equal(receiver.requests(visitor.url).length, 1);
  });

  it('sends no webhook for a conversation of type test that anyone can open', async () => {
    const visitor = await visitOwner({ postCallEvaluation: true }, 'test');
    await talk(visitor, 'Thanks, great!');
    await handled(visitor);
    assert.deepEqual((await visitor.owner.get('webhook-deliveries')).json['data'], []);
    assert.deepEqual((await readCall(visitor)).evaluation, {});
  });

  it('sends one webhook if the visitor never connects', async () => {
    const visitor = await visitOwner({ sendWebhookOnlyOnCompleted: false });
    visitor.voice.connected = Promise.resolve(false);
    await visitor.call();
    const [request] = await receiver.received(visitor.url, 1);
    await handled(visitor);
    const body = JSON.parse(request?.body ?? '{}') as CallWebhook;
    assert.deepEqual([body.status, body.duration, body.conversation_id], ['failed', 0, visitor.uuid]);
    assert.equal(receiver.requests(visitor.url).length, 1);
  });
});
