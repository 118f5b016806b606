/** What a job of each queue carries. Names of records, not their contents: a job may run long after it was sent. */
export interface QueueData {
  /** A conversation has ended. `attempt` counts the evaluations that failed. */
  'conversation-ended': { conversationId: number; attempt?: number };
  /** A call waits to be made. */
  'place-call': { callId: number };
  /** There may be something to do for a campaign. */
  'campaign-tick': { campaignId: number };
  /** A call has ended. */
  'call-ended': { callId: number; attempt?: number };
  /** A webhook waits to be delivered; `attempt` counts the attempts before this one. */
  'webhook-delivery': { deliveryId: number; attempt: number };
  /** A document waits to be read. */
  'process-document': { documentId: number };
  /** A Caller ID number was released; its record is gone. */
  'remove-caller-id': { phoneNumber: string };
  /** Chunks wait for their vectors. */
  'embed-chunks': Record<string, never>;
  /** What is too old, or was left behind, is to be cleaned up. */
  'clean-up': Record<string, never>;
}

export type QueueName = keyof QueueData;

/** How often and how long a job of a queue is tried. */
export interface QueueRules {
  /** Tries after the first one failed. */
  retries: number;
  /** Seconds before the first retry. Each further one waits about twice as long, up to an hour. */
  retryAfter: number;
  /** Longest time for one try, in seconds. */
  patience: number;
}

/** The queues, with their rules. */
export const queues: Record<QueueName, QueueRules> = {
  'conversation-ended': { retries: 5, retryAfter: 5, patience: 300 },
  'call-ended': { retries: 5, retryAfter: 5, patience: 300 },
  'place-call': { retries: 20, retryAfter: 1, patience: 60 },
  // The last tick sends the next, so it is never given up.
  'campaign-tick': { retries: 100_000, retryAfter: 1, patience: 60 },
  'webhook-delivery': { retries: 5, retryAfter: 5, patience: 90 },
  'process-document': { retries: 1, retryAfter: 10, patience: 900 },
  'remove-caller-id': { retries: 20, retryAfter: 10, patience: 60 },
  'embed-chunks': { retries: 10, retryAfter: 60, patience: 86_000 },
  // Each round sends the next one before anything else.
  'clean-up': { retries: 2, retryAfter: 60, patience: 3000 },
};

/** All their names. */
export const queueNames = Object.keys(queues) as QueueName[];
