import type { WebhookDelivery } from '../../../src/contract/webhook.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { assistantBody, readAssistant } from '../records/assistant-body.ts';
import { Owner } from '../records/owner.ts';
import { atEnd, newDatabase, startService } from './service.ts';
import type { Environment, ServiceExtras } from './service.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';
import { eventually } from '../eventually.ts';

/* Services that run background jobs with short retry delays, and a receiver of their webhooks. */

export const receiver = await startWebhookReceiver();
atEnd(() => receiver.server.close());

/** A port that refuses connections, but that the service may send requests to. Never given to a server of a test. */
export const refusedPort = 2;

/** Starts a service with a database of its own. Its functions create records and wait for its jobs. */
export async function startWebhookService(env: Environment = {}, extras: ServiceExtras = {}) {
  const service = await startService(
    {
      ...(await newDatabase()),
      WORKERS: 'on',
      ALLOW_PRIVATE_ADDRESSES: `${receiver.server.address},127.0.0.1:${refusedPort}`,
      WEBHOOK_RETRY_SECONDS: '0.01,0.02,0.03',
      PUBLIC_URL: 'https://voice.example/base',
      ...env,
    },
    extras,
  );
  const { database } = service.running;
  const { pool } = database;
  const jobs = new StoredJobs(database);
  return {
    ...{ service, pool, jobs },

    /** Creates an owner with an assistant. */
    createOwner: async (fields: Record<string, unknown> = {}) => {
      const owner = await Owner.create(service, '5');
      const { id } = await owner.create(
        'assistant',
        assistantBody({ post_call_evaluation: false, ...fields }),
      );
      const { json } = await owner.get('webhook-secret');
      return {
        owner,
        id,
        uuid: String((await readAssistant(owner, id))['uuid']),
        secret: String(json['secret']),
      };
    },

    /** Opens a chat and sends messages; returns its UUID and its database id. */
    chat: async (
      { uuid }: Pick<WithAssistant, 'uuid'>,
      messages: string[],
      more: Record<string, unknown> = {},
    ) => {
      const conversation = await service.open(uuid, more);
      for (const text of messages) await service.send(conversation, text);
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations WHERE uuid = $1', [
        conversation,
      ]);
      return { uuid: conversation, id: Number(rows[0]?.id) };
    },

    /** Ends a chat and queues its job. */
    end: async (conversationId: number) => {
      await pool.query('UPDATE conversations SET ended_at = coalesce(ended_at, updated_at) WHERE id = $1', [
        conversationId,
      ]);
      await jobs.send('conversation-ended', { conversationId });
    },

    /** Queues the job for the end of a call. */
    endCall: (callId: number) => jobs.send('call-ended', { callId }),

    /** Waits until no job for an end, a notice or a delivery is pending or active. */
    settled: async (): Promise<void> => {
      let pending: unknown[] = [];
      await eventually(
        () => `the end of these jobs: ${JSON.stringify(pending)}`,
        async () => {
          const { rows } = await pool.query<object>(
            `SELECT name, state, retry_count, output FROM jobs.job
             WHERE state < 'completed' AND name IN
               ('conversation-ended', 'call-ended', 'handoff-notice', 'usage-notice', 'webhook-delivery')`,
          );
          pending = rows;
          return rows.length === 0;
        },
      );
    },
  };
}

/** The service of most files, since starting one takes longer than most tests. */
export const webhookService = await startWebhookService();

/** An owner with an assistant. */
export interface WithAssistant {
  owner: Owner;
  id: number;
  uuid: string;
  secret: string;
}

/** Waits until an owner's deliveries meet a condition; returns them, newest first. */
export async function deliveries(
  { owner }: Pick<WithAssistant, 'owner'>,
  isMet: (found: WebhookDelivery[]) => boolean,
): Promise<WebhookDelivery[]> {
  let found: WebhookDelivery[] = [];
  return eventually(
    () => `the deliveries, which are ${JSON.stringify(found)}`,
    async () => {
      found = (await owner.get('webhook-deliveries')).json['data'] as WebhookDelivery[];
      return isMet(found) && found;
    },
  );
}

/** The condition that there are exactly `count` deliveries, all with one status. */
export const allAre = (status: string, count: number) => (found: WebhookDelivery[]) =>
  found.length === count && found.every((delivery) => delivery.status === status);
