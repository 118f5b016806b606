import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { findDiscrepancies } from '../support/service/find-discrepancies.ts';
import { verify } from '../support/servers/webhook-receiver.ts';
import type { Cluster } from './cluster.ts';
import type { Accepted } from './load.ts';

/** Longest wait for the work to be complete after a phase, in milliseconds. */
const settlingTime = 120_000;

/** The rules of `findDiscrepancies` that are met when no work is left. */
const finalRules = ['every job is done', 'every call has ended once'] as const;

/**
 * Waits until all work is complete. Does not wait for the lease of a dead process's jobs and for the growing pauses
 * between tries: they are brought forward.
 *
 * @throws {Error} with the remaining work.
 */
export async function settle({ pool }: Cluster): Promise<void> {
  const deadline = performance.now() + settlingTime;
  for (;;) {
    let remaining: unknown;
    try {
      const discrepancies = await findDiscrepancies(pool);
      const { rows: leads } = await pool.query(
        "SELECT id, status, call_id FROM leads WHERE status IN ('scheduled', 'processing')",
      );
      const { rows: documents } = await pool.query("SELECT id FROM documents WHERE status = 'processing'");
      // The lease of a transfer outlasts the transferred call; only a process that ended in between needs it.
      await pool.query(
        `UPDATE calls SET lease_until = now() WHERE status = 'in-progress' AND transfer_to IS NOT NULL
           AND lease_owner IS NULL AND updated_at < now() - interval '15 s'`,
      );
      const jobs = finalRules.flatMap((rule) => discrepancies[rule] ?? []);
      if (jobs.length + leads.length + documents.length === 0) return;
      remaining = { jobs, leads, documents };
      // A living process sends a heartbeat every ten seconds, but not all of them in time on a busy machine.
      await expireJobs(pool, 25);
      await pool.query(
        "UPDATE jobs.job SET start_after = now() WHERE state = 'retry' AND start_after > now()",
      );
    } catch (error) {
      remaining = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`The work is not complete: ${JSON.stringify(remaining, undefined, 1)}`);
    }
    await delay(200);
  }
}

/** Expires the leases of jobs without a heartbeat for some seconds, as if it had been half a minute. */
export async function expireJobs(pool: Pool, seconds: number): Promise<void> {
  await pool.query(
    `UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0, retry_delay_max = 1
     WHERE state = 'active' AND coalesce(heartbeat_on, started_on) < now() - $1 * interval '1 s'`,
    [seconds],
  );
}

/** The violations of each invariant, and figures. */
export interface Findings {
  violations: Record<string, unknown[]>;
  messages: number;
  lost: number;
  doubled: number;
  /** USD. */
  ledgerDifference: number;
  webhooks: number;
  /** Dialed numbers. */
  calls: number;
  documents: number;
}

/** Compares the requests that were accepted with the database, the received webhooks and the dialed numbers. */
export async function checkInvariants(cluster: Cluster, accepted: Accepted): Promise<Findings> {
  const violations: Record<string, unknown[]> = { ...(await findDiscrepancies(cluster.pool)) };
  const messages = await checkMessages(cluster, accepted);
  const webhooks = await checkWebhooks(cluster);
  const calls = await checkCalls(cluster, accepted);
  const documents = await checkDocuments(cluster, accepted);
  const { rows: ledger } = await cluster.pool.query<{ difference: string }>(
    `SELECT sum(abs(balance - (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE user_id = users.id)))
       AS difference FROM users`,
  );
  Object.assign(violations, messages, webhooks.violations, calls.violations, documents);
  return {
    violations: Object.fromEntries(Object.entries(violations).filter(([, found]) => found.length > 0)),
    messages: accepted.chats.reduce((sum, { exchanges }) => sum + exchanges.length, 0),
    lost: messages['accepted messages are stored with their answers'].length,
    doubled: messages['no message is stored twice'].length,
    ledgerDifference: Number(ledger[0]?.difference),
    webhooks: webhooks.count,
    calls: calls.count,
    documents: accepted.documents.length,
  };
}

/** Attempts that failed and were refunded do not count. */
async function checkMessages({ pool }: Cluster, { chats, watched, deleted }: Accepted) {
  const { rows } = await pool.query<{ conversation: string; text: string; answer: string }>(
    `SELECT conversations.uuid AS conversation, messages.content AS text, reply.content AS answer
     FROM messages JOIN conversations ON conversations.id = messages.conversation_id
     LEFT JOIN messages AS reply ON reply.in_reply_to = messages.id
     WHERE messages.role = 'user' AND messages.reply_state <> 'failed'`,
  );
  const { rows: paid } = await pool.query<{ messages: number }>(
    `SELECT -coalesce(sum(amount), 0) * 100 AS messages FROM ledger_entries
     WHERE kind <> 'top_up' AND message_id IS NULL AND call_minute IS NULL`,
  );
  const stored = Map.groupBy(rows, ({ text }) => text);
  const lost: unknown[] = [];
  for (const { conversation, exchanges } of chats) {
    for (const { text, answer } of exchanges) {
      const expected = `You said: ${text}`;
      const isStored = stored
        .get(text)
        ?.some((row) => row.conversation === conversation && row.answer === expected);
      if (isStored !== true || answer.message !== expected) lost.push({ conversation, text, answer });
    }
  }
  return {
    'accepted messages are stored with their answers': lost,
    'no message is stored twice': [...stored.values()].filter(({ length }) => length > 1),
    'event streams have every message, and every answer once': chats.flatMap(
      ({ conversation, exchanges }) => {
        const contents = watched.get(conversation);
        const isComplete = exchanges.every(
          ({ text, answer: { message } }) =>
            contents?.includes(text) && contents.filter((content) => content === message).length === 1,
        );
        return contents && !isComplete ? [{ contents, exchanges }] : [];
      },
    ),
    'deleted messages are charged at most once, and at least if they were answered': isBetween(
      deleted.answered,
      Number(paid[0]?.messages),
      deleted.sent,
    ),
  };
}

const isBetween = (min: number, value: number, max: number) =>
  value >= min && value <= max ? [] : [{ min, value, max }];

/** Webhooks with a valid signature. It is verified on receipt, since it expires after five minutes. */
const verified = new WeakSet<object>();

async function checkWebhooks({ pool, receiver, owners, remover }: Cluster) {
  const { rows } = await pool.query<{ id: string; payload: string; count: number }>(
    `SELECT webhook_id AS id, payload, count(*) OVER (PARTITION BY payload)::int AS count FROM webhook_deliveries
     WHERE url <> $1`,
    [remover.failingUrl],
  );
  const { requests } = receiver.server;
  const bodies = new Map<string, Set<string>>();
  const ids = new Map<string, Set<string>>();
  const unsigned: unknown[] = [];
  const add = (map: Map<string, Set<string>>, key: string, value: string) =>
    map.set(key, (map.get(key) ?? new Set<string>()).add(value));
  for (const request of requests) {
    const id = String(request.headers['webhook-id']);
    add(bodies, id, request.body);
    add(ids, request.body, id);
    const isSigned = () =>
      [...owners, remover].some(({ webhookSecret }) => {
        try {
          return verify(webhookSecret, request);
        } catch {
          return false;
        }
      });
    if (verified.has(request)) continue;
    if (isSigned()) verified.add(request);
    else unsigned.push(id);
  }
  return {
    count: bodies.size,
    violations: {
      'no webhook is sent under two ids': [...ids.values()].filter(({ size }) => size > 1),
      'no id has two bodies': [...bodies].filter(([, { size }]) => size > 1),
      'every webhook is signed': unsigned,
      'every stored webhook was received as stored': rows.filter(
        ({ id, payload }) => bodies.get(id)?.has(payload) !== true,
      ),
    },
  };
}

/** Every number is called once: no two calls have the same, and campaigns retry after an hour. */
async function checkCalls(cluster: Cluster, { calls, leads }: Accepted) {
  const { rows } = await cluster.pool.query<{ id: number; number: string; reason: string | null }>(
    'SELECT id, client_phone_number AS number, end_reason AS reason FROM calls',
  );
  const stored = Map.groupBy(rows, ({ number }) => number);
  const started = (number: string) =>
    stored.get(number)?.filter(({ reason }) => reason !== 'not-started') ?? [];
  const dialed = await cluster.dialedNumbers();
  const counts = new Map<string, number>();
  for (const number of dialed) counts.set(number, (counts.get(number) ?? 0) + 1);
  const { rows: connected } = await cluster.pool.query<{ number: string }>(
    'SELECT client_phone_number AS number FROM calls WHERE answered_at IS NOT NULL',
  );
  return {
    count: dialed.length,
    violations: {
      'no number is dialed twice': [...counts].filter(([, count]) => count > 1),
      'accepted calls are stored': [...calls].filter(
        ([number, id]) => stored.get(number)?.some((call) => call.id === id) !== true,
      ),
      'accepted leads are called': leads.filter((number) => started(number).length === 0),
      'no number has two calls': [...stored.keys()].map(started).filter(({ length }) => length > 1),
      'answered calls were dialed': connected.filter(({ number }) => !counts.has(number)),
    },
  };
}

async function checkDocuments({ pool }: Cluster, { documents }: Accepted) {
  const { rows } = await pool.query<{ id: number }>(
    `SELECT id FROM documents WHERE status = 'active' AND EXISTS (SELECT 1 FROM chunks WHERE document_id = documents.id)`,
  );
  const active = new Set(rows.map(({ id }) => id));
  return { 'accepted documents are searchable': documents.filter((id) => !active.has(id)) };
}
