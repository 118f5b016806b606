/** A metric, as OpenTelemetry describes it. */
export interface Metric {
  kind: 'counter' | 'gauge' | 'histogram' | 'up-down-counter';
  unit?: string;
  /** Names of its attributes. */
  labels: readonly string[];
  description: string;
}

/** The metrics of the service by name. */
export const catalog = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    labels: ['http.route', 'http.request.method', 'http.response.status_code'],
    description: 'Requests, and the seconds until the response began',
  },
  'chat.replies': {
    kind: 'counter',
    labels: ['outcome'],
    description: 'Replies of assistants: `answered` or `failed`',
  },
  'chat.reply.time_to_first_token': {
    kind: 'histogram',
    unit: 's',
    labels: [],
    description: 'Seconds from the start of a reply to its first text',
  },
  'call.reply.time_to_first_word': {
    kind: 'histogram',
    unit: 's',
    labels: [],
    description: "In calls, seconds from the end of a customer's sentence to the first word of the answer",
  },
  'chat.queue.depth': {
    kind: 'gauge',
    labels: ['queue'],
    description:
      'Background jobs that are due but not running, as of at most a minute ago; all processes report the same number',
  },
  'chat.leases.taken_over': {
    kind: 'counter',
    labels: ['kind'],
    description: 'Replies and calls of dead processes that this process ended: `reply` or `call`',
  },
  'chat.streams.open': { kind: 'up-down-counter', labels: ['http.route'], description: 'Open event streams' },
  'chat.money': {
    kind: 'counter',
    unit: 'USD',
    labels: ['kind'],
    description: 'Each `charge` and `refund` in USD, including those whose transaction was rolled back',
  },
} as const satisfies Record<string, Metric>;
