import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { WebhookDelivery } from '../../../src/contract/webhook.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { assistantBody, readAssistant } from '../records/assistant-body.ts';
import { Owner } from '../records/owner.ts';
import { atEnd, newDatabase, startService } from './service.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';

/* A service that runs background jobs with short retry delays, and a receiver of its webhooks. */

export const receiver = await startWebhookReceiver();
atEnd(() => receiver.server.close());

/** A port that refuses connections, but that the service may send requests to. Never given to a server of a test. */
export const refusedPort = 2;
export const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  ALLOW_PRIVATE_ADDRESSES: `${receiver.server.address},127.0.0.1:${refusedPort}`,
  WEBHOOK_RETRY_SECONDS: '0.01,0.02,0.03',
  WEBHOOK_TIMEOUT_SECONDS: '1.5',
  PUBLIC_URL: 'https://voice.example/base',
});
export const { pool } = service.running.database;
const jobs = new StoredJobs(service.running.database);

/** Creates an owner with an assistant. */
export async function createOwner(fields: Record<string, unknown> = {}) {
  const owner = await Owner.create(service, '5');
  const { id } = await owner.create('assistant', assistantBody({ post_call_evaluation: false, ...fields }));
  const { json } = await owner.get('webhook-secret');
  return {
    owner,
    id,
    uuid: String((await readAssistant(owner, id))['uuid']),
    secret: String(json['secret']),
  };
}
export type WithAssistant = Awaited<ReturnType<typeof createOwner>>;

/** Opens a chat and sends messages; returns its UUID and its database id. */
export async function chat({ uuid }: WithAssistant, messages: string[], more: Record<string, unknown> = {}) {
  const conversation = await service.open(uuid, more);
  for (const text of messages) await service.send(conversation, text);
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations WHERE uuid = $1', [
    conversation,
  ]);
  return { uuid: conversation, id: Number(rows[0]?.id) };
}

/** Queues the job for the end of a chat or call. */
export const end = (conversationId: number) => jobs.send('conversation-ended', { conversationId });
export const endCall = (callId: number) => jobs.send('call-ended', { callId });

/** Waits until an owner's deliveries meet a condition; returns them, newest first. */
export async function deliveries(
  { owner }: Pick<WithAssistant, 'owner'>,
  isMet: (found: WebhookDelivery[]) => boolean,
): Promise<WebhookDelivery[]> {
  for (const deadline = Date.now() + 10_000; ;) {
    const found = (await owner.get('webhook-deliveries')).json['data'] as WebhookDelivery[];
    if (isMet(found)) return found;
    assert.ok(Date.now() < deadline, JSON.stringify(found));
  }
}

/** The condition that there are exactly `count` deliveries, all with one status. */
export const allAre = (status: string, count: number) => (found: WebhookDelivery[]) =>
  found.length === count && found.every((delivery) => delivery.status === status);

/** Waits until no job for an end or a delivery is pending or active. */
export async function settled(): Promise<void> {
  for (const deadline = Date.now() + 10_000; ;) {
    const { rows } = await pool.query(
      `SELECT name, state, retry_count, output FROM jobs.job
       WHERE state < 'completed' AND name IN
         ('conversation-ended', 'call-ended', 'handoff-notice', 'webhook-delivery')`,
    );
    if (rows.length === 0) return;
    assert.ok(Date.now() < deadline, JSON.stringify(rows));
    // PGlite answers within the same turn, so without this nothing else would run.
    await turn();
  }
}
