import type { handoffReasons, usageLimits } from '../../contract/webhook.ts';

/** Seconds until the job of a dead process is retried by another process. */
export const leaseSeconds = 30;

/** Not long, since pg-boss scans all jobs, including the finished ones, whenever one is sent. */
const keepFinishedSeconds = 600;

/** Times are in seconds; `timeout` applies to one try. Retry delays double from `retryAfter` up to an hour. */
const rules = (retryLimit: number, retryAfter: number, timeout: number) => ({
  retryLimit,
  retryDelay: retryAfter,
  retryBackoff: true,
  retryDelayMax: 3600,
  expireInSeconds: timeout,
  heartbeatSeconds: leaseSeconds,
  notify: true,
  deleteAfterSeconds: keepFinishedSeconds,
  // Ten years, so that a service that was down for more than pg-boss's default of two weeks still runs its jobs.
  retentionSeconds: 315_360_000,
});

/** At least a week, so that no outage loses a job. */
const week = 180;

/** For queues whose single job covers all pending work, and for jobs that must succeed in the end. */
const unlimited = 100_000;

/** `key` identifies the record of a job; at most one job per key waits. */
const queue = <Data extends object>(
  key: (job: Data) => number | string,
  queueRules: ReturnType<typeof rules> & { deadLetter?: string },
) => ({ key, rules: queueRules });

/**
 * The queues, with the data of their jobs: ids of records, not their contents, since a job may run long after it was
 * sent. `userId` is the owner whose jobs share the worker's `concurrencyPerOwner`. Jobs with `isUrgent` start before the
 * others of their queue.
 */
export const queues = {
  'conversation-ended': queue((job: { conversationId: number }) => job.conversationId, rules(week, 5, 300)),
  'call-ended': queue((job: { callId: number }) => job.callId, rules(week, 5, 300)),
  // Often, until the call has waited for too long: the carrier may be reached again at any time.
  'place-call': queue((job: { callId: number; userId?: number }) => job.callId, {
    ...rules(100, 1, 60),
    retryDelayMax: 10,
  }),
  // A call of a simulated customer.
  'ring-number': queue(
    (job: { carrierCallId: string; from: string; to: string }) => job.carrierCallId,
    rules(3, 1, 60),
  ),
  'campaign-tick': queue((job: { campaignId: number }) => job.campaignId, rules(unlimited, 1, 60)),
  'fail-delivery': queue((job: { deliveryId: number }) => job.deliveryId, rules(unlimited, 10, 60)),
  // After the queue of its failed jobs, which must exist first. `attempt` is the number of earlier attempts.
  'webhook-delivery': queue(
    (job: { deliveryId: number; attempt: number; userId?: number; isUrgent?: true }) => job.deliveryId,
    { ...rules(week, 5, 90), deadLetter: 'fail-delivery' },
  ),
  // `day` is the day of the usage in UTC, as `YYYY-MM-DD`.
  'usage-notice': queue(
    (job: {
      assistantId: number;
      limit: (typeof usageLimits)[number];
      max: number;
      used: number;
      percent: 80 | 100;
      day: string;
    }) => `${job.assistantId} ${job.limit} ${job.percent} ${job.day}`,
    rules(5, 5, 60),
  ),
  // `messageId` is the visitor's message.
  'handoff-notice': queue(
    (job: { messageId: number; reason: (typeof handoffReasons)[number] }) => job.messageId,
    rules(5, 5, 60),
  ),
  'fail-document': queue(
    (job: { documentId: number; userId?: number }) => job.documentId,
    rules(unlimited, 10, 60),
  ),
  'process-document': queue((job: { documentId: number; userId?: number }) => job.documentId, {
    ...rules(1, 10, 900),
    deadLetter: 'fail-document',
  }),
  'hang-up': queue((job: { carrierCallId: string }) => job.carrierCallId, rules(5, 5, 60)),
  // Until they succeed: the carrier has personal data, or somebody has paid for the number or still pays for it.
  'delete-recording': queue((job: { recordingId: string }) => job.recordingId, rules(unlimited, 10, 60)),
  'remove-caller-id': queue((job: { phoneNumber: string }) => job.phoneNumber, rules(unlimited, 10, 60)),
  'complete-purchase': queue((job: { phoneNumberId: number }) => job.phoneNumberId, rules(unlimited, 10, 60)),
  'release-number': queue((job: { phoneNumber: string }) => job.phoneNumber, rules(unlimited, 10, 60)),
  'embed-chunks': queue<Record<string, never>>(() => 'all', rules(unlimited, 60, 86_000)),
  'hourly-maintenance': queue<Record<string, never>>(() => 'all', rules(unlimited, 60, 3000)),
};
export type QueueName = keyof typeof queues;
export type QueueData = { [Name in QueueName]: Parameters<(typeof queues)[Name]['key']>[0] };
export const queueNames = Object.keys(queues) as QueueName[];

/** Returns the key of a job. */
export const keyOf = <Name extends QueueName>(name: Name, data: QueueData[Name]): string =>
  String((queues[name].key as (job: QueueData[Name]) => number | string)(data));
