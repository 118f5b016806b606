import { sql } from 'drizzle-orm';
import type { Column, SQL } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** An address is disabled if all its deliveries failed for this time, and at least this many. */
const failingTime = sql`interval '5 days'`;
const minFailures = 10;

/** After a longer time without a failure, an earlier one was another outage. */
const maxPause = sql`interval '2 days'`;

/** A webhook address of a user. */
export interface OwnedUrl {
  userId: number;
  url: string;
}

/** An address that has just been disabled. */
export interface DisabledUrl {
  /** Failed deliveries since `failingSince`. */
  failures: number;
  /** ISO 8601, in UTC. */
  failingSince: string;
  disabledAt: string;
}

const isUrl = ({ userId, url }: OwnedUrl) =>
  sql`user_id = ${userId} AND md5(url) = md5(${url}) AND url = ${url}`;

const isRecent = sql`failing_webhook_urls.last_failure_at > now() - ${maxPause}`;

/** Counts a failed delivery. Returns details if this disables the address. */
export async function countFailureOrDisable(tx: Queries, owned: OwnedUrl): Promise<DisabledUrl | undefined> {
  await tx.execute(sql`
    INSERT INTO failing_webhook_urls (user_id, url) VALUES (${owned.userId}, ${owned.url})
    ON CONFLICT (user_id, md5(url)) DO UPDATE SET last_failure_at = now(),
      failures = CASE WHEN ${isRecent} THEN failing_webhook_urls.failures + 1 ELSE 1 END,
      failing_since = CASE WHEN ${isRecent} THEN failing_webhook_urls.failing_since ELSE now() END`);
  const { rows } = await tx.execute<DisabledUrl & Record<string, unknown>>(sql`
    UPDATE failing_webhook_urls SET disabled_at = now()
    WHERE ${isUrl(owned)} AND disabled_at IS NULL
      AND failures >= ${minFailures} AND failing_since <= now() - ${failingTime}
    RETURNING failures, ${wireTimestamp(sql`failing_since`)} AS "failingSince",
      ${wireTimestamp(sql`disabled_at`)} AS "disabledAt"`);
  return rows[0];
}

/** Enables those of the addresses that are disabled, since their owner has set them again. */
export async function enableUrls(
  queries: Queries,
  userId: number,
  urls: readonly (string | null | undefined)[],
): Promise<void> {
  // Sorted, so that concurrent changes lock the rows in one order.
  for (const url of urls.toSorted()) {
    if (url)
      await queries.execute(sql`
        DELETE FROM failing_webhook_urls WHERE ${isUrl({ userId, url })} AND disabled_at IS NOT NULL`);
  }
}

/** Records a successful delivery: the address is enabled, and earlier failures no longer count. */
export async function resetFailures(queries: Queries, owned: OwnedUrl): Promise<void> {
  await queries.execute(sql`DELETE FROM failing_webhook_urls WHERE ${isUrl(owned)}`);
}

/** Returns why nothing is sent to an address; undefined if it is not disabled. */
export async function disabledReason(queries: Queries, owned: OwnedUrl): Promise<string | undefined> {
  const { rows } = await queries.execute<{ at: string }>(sql`
    SELECT ${wireTimestamp(sql`disabled_at`)} AS at FROM failing_webhook_urls
    WHERE ${isUrl(owned)} AND disabled_at IS NOT NULL`);
  return rows[0] && disabledSince(rows[0].at);
}

/** The error of deliveries to a disabled address. */
export const disabledSince = (at: string) =>
  `the address is disabled since ${at}, because all deliveries to it failed; set it again to enable it`;

/** Selects an address of an assistant; null if it is disabled. For queries of several tables. */
export const unlessDisabled = (url: Column): SQL<string | null> => sql<string | null>`CASE WHEN NOT EXISTS (
  SELECT 1 FROM failing_webhook_urls AS failing
  WHERE failing.user_id = assistants.user_id AND failing.disabled_at IS NOT NULL
    AND md5(failing.url) = md5(${url}) AND failing.url = ${url}) THEN ${url} END`;

/**
 * Selects the disabled addresses of an assistant. In queries of one table, Drizzle would write the columns without the
 * table, and `user_id` would be that of the inner query.
 */
export const disabledUrls: SQL<string[]> = sql<string[]>`ARRAY (
  SELECT failing.url FROM failing_webhook_urls AS failing
  WHERE failing.user_id = assistants.user_id AND failing.disabled_at IS NOT NULL AND failing.url IN
    (assistants.webhook_url, assistants.inbound_webhook_url, assistants.conversation_ended_webhook_url,
      assistants.usage_webhook_url, assistants.handoff_webhook_url)
  ORDER BY failing.url)`;
