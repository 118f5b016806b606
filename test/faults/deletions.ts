import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatError } from '../../src/client/chat-client.ts';
import type { Random } from '../support/random.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import type { Load } from './load.ts';
import { nextNumber } from './next-number.ts';

/* Records that are deleted while they are in use. */

/** Waits a random time, so that deletions hit different steps of the work. */
const pause = (random: Random, max: number) => delay(random.integer(0, max));

/** Refusals of a change after a deletion: the record does not exist, or the campaign cannot be started or stopped. */
const gone = [400, 404, 422];

/** A visitor's chat is deleted while the assistant answers, or while a person has taken over. */
export async function deleteChat(load: Load, random: Random): Promise<void> {
  const { client, remover } = load.cluster;
  const { deleted } = load.accepted;
  const visitor = await load.openChat(remover.assistant);
  const isTakenOver = random.chance(0.3);
  if (isTakenOver) {
    const path = `/api/automate/conversations/${visitor.conversation}/disable-ai`;
    const headers = { Authorization: `Bearer ${remover.owner.key}` };
    await load.untilAccepted(() => client.post(path, undefined, headers));
  }
  const talk = async () => {
    for (const word of ['Hello', 'Hello', 'Goodbye']) {
      if (!isTakenOver) deleted.sent++;
      await visitor.say(`${word} ${randomUUID()}`, { streaming: random.chance(0.5) });
      if (!isTakenOver) deleted.answered++;
    }
  };
  const remove = async () => {
    await pause(random, 800);
    const path = `/api/conversations/${visitor.conversation}`;
    await load.untilAccepted(() => client.request('DELETE', path), gone);
  };
  const isGone = (error: unknown) => error instanceof ChatError && error.code === 'conversation-not-found';
  await Promise.all([
    remove(),
    talk().catch((error: unknown) => {
      if (!isGone(error)) throw error;
    }),
  ]);
}

/** A running campaign is stopped and started, and it, its assistant, a lead and a call are deleted, in any order. */
export async function deleteCampaign(load: Load, random: Random): Promise<void> {
  const { pool, remover } = load.cluster;
  const { owner, failingUrl } = remover;
  const create = async (path: string, body: unknown) => {
    // 422: an earlier attempt created the lead, but its response was lost.
    const { json } = await load.untilAccepted(() => owner.post(path, body), path === 'lead' ? [422] : []);
    return Number((json['data'] as { id: number } | undefined)?.id);
  };
  const webhooks = {
    is_webhook_active: true,
    webhook_url: failingUrl,
    send_webhook_only_on_completed: false,
  };
  const assistant_id = await create('assistant', assistantBody(webhooks));
  const campaign_id = await create('campaigns', { name: 'Autumn', assistant_id, max_calls_in_parallel: 5 });
  const leads: number[] = [];
  for (let lead = 0; lead < 5; lead++) {
    leads.push(await create('lead', { phone_number: nextNumber(), campaign_id }));
  }
  const change = (action: string) => owner.post('campaigns/update-status', { campaign_id, action });
  await load.untilAccepted(() => change('start'));
  // The next failure disables the address, until an assistant is created with it.
  await pool
    .query("UPDATE failing_webhook_urls SET failures = 20, failing_since = now() - interval '6 days'")
    .catch(() => undefined);
  const deleteCall = async () => {
    const listed = await owner.get(`calls?campaign_id=${campaign_id}`);
    const [call] = (listed.json['data'] ?? []) as { id: number }[];
    return call ? owner.delete(`calls/${call.id}`) : listed;
  };
  await inAnyOrder(load, random, 2500, [
    () => change('stop'),
    () => change('start'),
    () => owner.put(`leads/${leads[0]}`, { status: 'completed' }),
    () => owner.delete(`leads/${leads[1]}`),
    deleteCall,
    () => owner.delete(`assistant/${assistant_id}`),
    () => owner.delete(`campaign/${campaign_id}`),
  ]);
}

/** A document and its knowledge base are deleted while it is processed. */
export async function deleteDocument(load: Load, random: Random): Promise<void> {
  const { owner } = load.cluster.remover;
  const base = await load.untilAccepted(() => owner.post('knowledgebases', { name: 'Documents' }));
  const path = `knowledgebases/${String((base.json['data'] as { id: number }).id)}`;
  const file = () => new Blob([`# Opening hours\n\nWe are open on day ${randomUUID()}.`]);
  const { json } = await load.untilAccepted(() =>
    owner.upload(`${path}/documents`, { name: 'Hours', type: 'txt', file: file() }),
  );
  const { id } = json['data'] as { id: number };
  await inAnyOrder(load, random, 1000, [
    () => owner.delete(`${path}/documents/${id}`),
    () => owner.delete(path),
  ]);
}

/** Sends each request at a random time of the next `milliseconds`. */
async function inAnyOrder(
  load: Load,
  random: Random,
  milliseconds: number,
  requests: Parameters<Load['untilAccepted']>[0][],
): Promise<void> {
  await Promise.all(
    requests.map(async (send) => {
      await pause(random, milliseconds);
      await load.untilAccepted(send, gone);
    }),
  );
}
