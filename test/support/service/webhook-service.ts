import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { WebhookDelivery } from '../../../src/contract/webhook.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { assistantBody, readAssistant } from '../records/assistant-body.ts';
import { freePort } from '../process/free-port.ts';
import { Owner } from '../records/owner.ts';
import { atEnd, newDatabase, startService } from './service.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';

/* A service that does its jobs, with short pauses, and somebody who takes its webhooks. */

export const receiver = await startWebhookReceiver();
atEnd(() => receiver.server.close());

/** A port that nobody listens on, though requests may go there. */
export const refusedPort = await freePort();
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

/** An owner with an assistant. */
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

/** A chat in which something was said; returns its UUID and its number. */
export async function chat({ uuid }: WithAssistant, said: string[], more: Record<string, unknown> = {}) {
  const conversation = await service.open(uuid, more);
  for (const text of said) await service.send(conversation, text);
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations WHERE uuid = $1', [
    conversation,
  ]);
  return { uuid: conversation, id: Number(rows[0]?.id) };
}

/** Says that a chat, or a call, has ended. */
export const end = (conversationId: number) => jobs.send('conversation-ended', { conversationId });
export const endCall = (callId: number) => jobs.send('call-ended', { callId });

/** The deliveries of an owner, newest first, once they are as a test wants them. */
export async function deliveries(
  { owner }: Pick<WithAssistant, 'owner'>,
  isSo: (found: WebhookDelivery[]) => boolean,
): Promise<WebhookDelivery[]> {
  for (const deadline = Date.now() + 10_000; ;) {
    const found = (await owner.get('webhook-deliveries')).json['data'] as WebhookDelivery[];
    if (isSo(found)) return found;
    assert.ok(Date.now() < deadline, JSON.stringify(found));
  }
}

/** Whether there are so many, all with that status. */
export const allAre = (status: string, count: number) => (found: WebhookDelivery[]) =>
  found.length === count && found.every((delivery) => delivery.status === status);

/** Resolves when no end and no delivery waits or is worked on. */
export async function settled(): Promise<void> {
  for (const deadline = Date.now() + 10_000; ;) {
    const { rows } = await pool.query(
      `SELECT name, state, retry_count, output FROM jobs.job
       WHERE state < 'completed' AND name IN ('conversation-ended', 'call-ended', 'webhook-delivery')`,
    );
    if (rows.length === 0) return;
    assert.ok(Date.now() < deadline, JSON.stringify(rows));
    // PGlite answers within the turn, so nothing else would ever run.
    await turn();
  }
}
