/** Data of the jobs of each queue: names of records, not their contents, since a job may run long after it was sent. */
export interface QueueData {
  /** `attempt` counts the evaluations that failed. */
  'conversation-ended': { conversationId: number; attempt?: number };
  'call-ended': { callId: number; attempt?: number };
  'place-call': { callId: number };
  'campaign-tick': { campaignId: number };
  /** `attempt` counts the attempts before this one. */
  'webhook-delivery': { deliveryId: number; attempt: number };
  'process-document': { documentId: number };
  'remove-caller-id': { phoneNumber: string };
  'embed-chunks': Record<string, never>;
  'clean-up': Record<string, never>;
}
export type QueueName = keyof QueueData;

/** Seconds after the death of its process until a job is retried by another one. */
export const leaseSeconds = 30;

/** @param timeout of one try. Retries wait about twice as long each time, from `retryAfter` up to an hour. Seconds. */
const rules = (retryLimit: number, retryAfter: number, timeout: number) => ({
  ...{ retryLimit, retryDelay: retryAfter, retryBackoff: true, retryDelayMax: 3600 },
  ...{ expireInSeconds: timeout, heartbeatSeconds: leaseSeconds, notify: true, deleteAfterSeconds: 86_400 },
  // Ten years: a service that was down for more than pg-boss's two weeks still does all its jobs.
  retentionSeconds: 315_360_000,
});

/** For queues in which one job stands for all work to come. */
const unlimited = 100_000;

/** The queues, each with the record that a job is about: at most one job for each record waits. */
export const queues: {
  [Name in QueueName]: { key: (data: QueueData[Name]) => number | string; rules: ReturnType<typeof rules> };
} = {
  'conversation-ended': { key: (job) => job.conversationId, rules: rules(5, 5, 300) },
  'call-ended': { key: (job) => job.callId, rules: rules(5, 5, 300) },
  'place-call': { key: (job) => job.callId, rules: rules(20, 1, 60) },
  'campaign-tick': { key: (job) => job.campaignId, rules: rules(unlimited, 1, 60) },
  'webhook-delivery': { key: (job) => job.deliveryId, rules: rules(5, 5, 90) },
  'process-document': { key: (job) => job.documentId, rules: rules(1, 10, 900) },
  'remove-caller-id': { key: (job) => job.phoneNumber, rules: rules(20, 10, 60) },
  'embed-chunks': { key: () => 'all', rules: rules(unlimited, 60, 86_000) },
  'clean-up': { key: () => 'all', rules: rules(unlimited, 60, 3000) },
};
export const queueNames = Object.keys(queues) as QueueName[];
