import type { handoffReasons, usageLimits } from '../../contract/webhook.ts';

/**
 * The job data of each queue: ids of records, not their contents, since a job may run long after it was sent. `userId`
 * is the owner whose jobs share the worker's `concurrencyPerOwner`. Jobs with `isUrgent` start before the others of their
 * queue.
 */
export interface QueueData {
  /** `attempt` is the number of failed evaluations. */
  'conversation-ended': { conversationId: number; attempt?: number };
  'call-ended': { callId: number; attempt?: number };
  'place-call': { callId: number; userId?: number };
  'campaign-tick': { campaignId: number };
  /** A call of a simulated customer. */
  'ring-number': { carrierCallId: string; from: string; to: string };
  /** `attempt` is the number of earlier attempts. */
  'webhook-delivery': { deliveryId: number; attempt: number; userId?: number; isUrgent?: true };
  /** `day` is the day of the usage in UTC, as `YYYY-MM-DD`. */
  'usage-notice': {
    assistantId: number;
    limit: (typeof usageLimits)[number];
    max: number;
    used: number;
    percent: 80 | 100;
    day: string;
  };
  /** `messageId` is the visitor's message. */
  'handoff-notice': { messageId: number; reason: (typeof handoffReasons)[number] };
  'process-document': { documentId: number; userId?: number };
  'fail-document': { documentId: number; userId?: number };
  'hang-up': { carrierCallId: string };
  'delete-recording': { recordingId: string };
  'remove-caller-id': { phoneNumber: string };
  'complete-purchase': { phoneNumberId: number };
  'release-number': { phoneNumber: string };
  'embed-chunks': Record<string, never>;
  'clean-up': Record<string, never>;
}
export type QueueName = keyof QueueData;

/** Seconds until the job of a dead process is retried by another process. */
export const leaseSeconds = 30;

/** Times are in seconds; `timeout` applies to one try. Retry delays double from `retryAfter` up to an hour. */
const rules = (retryLimit: number, retryAfter: number, timeout: number) => ({
  ...{ retryLimit, retryDelay: retryAfter, retryBackoff: true, retryDelayMax: 3600 },
  ...{ expireInSeconds: timeout, heartbeatSeconds: leaseSeconds, notify: true, deleteAfterSeconds: 86_400 },
  // Ten years, so that a service that was down for more than pg-boss's default of two weeks still runs its jobs.
  retentionSeconds: 315_360_000,
});

/** For queues whose single job covers all pending work, and for jobs that must succeed in the end. */
const unlimited = 100_000;

/** The queues. `key` identifies the record of a job; at most one job per key waits. */
export const queues: {
  [Name in QueueName]: {
    key: (data: QueueData[Name]) => number | string;
    rules: ReturnType<typeof rules> & { deadLetter?: QueueName };
  };
} = {
  'conversation-ended': { key: (job) => job.conversationId, rules: rules(5, 5, 300) },
  'call-ended': { key: (job) => job.callId, rules: rules(5, 5, 300) },
  // Often, until the call has waited for too long: the carrier may be reached again at any time.
  'place-call': { key: (job) => job.callId, rules: { ...rules(100, 1, 60), retryDelayMax: 10 } },
  'ring-number': { key: (job) => job.carrierCallId, rules: rules(3, 1, 60) },
  'campaign-tick': { key: (job) => job.campaignId, rules: rules(unlimited, 1, 60) },
  'webhook-delivery': { key: (job) => job.deliveryId, rules: rules(5, 5, 90) },
  'usage-notice': {
    key: (job) => `${job.assistantId} ${job.limit} ${job.percent} ${job.day}`,
    rules: rules(5, 5, 60),
  },
  'handoff-notice': { key: (job) => job.messageId, rules: rules(5, 5, 60) },
  'fail-document': { key: (job) => job.documentId, rules: rules(unlimited, 10, 60) },
  // After the queue of its failed jobs, which must exist first.
  'process-document': {
    key: (job) => job.documentId,
    rules: { ...rules(1, 10, 900), deadLetter: 'fail-document' },
  },
  'hang-up': { key: (job) => job.carrierCallId, rules: rules(5, 5, 60) },
  // Until they succeed: the carrier has personal data, or somebody has paid for the number or still pays for it.
  'delete-recording': { key: (job) => job.recordingId, rules: rules(unlimited, 10, 60) },
  'remove-caller-id': { key: (job) => job.phoneNumber, rules: rules(unlimited, 10, 60) },
  'complete-purchase': { key: (job) => job.phoneNumberId, rules: rules(unlimited, 10, 60) },
  'release-number': { key: (job) => job.phoneNumber, rules: rules(unlimited, 10, 60) },
  'embed-chunks': { key: () => 'all', rules: rules(unlimited, 60, 86_000) },
  'clean-up': { key: () => 'all', rules: rules(unlimited, 60, 3000) },
};
export const queueNames = Object.keys(queues) as QueueName[];
