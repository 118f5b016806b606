import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Meter } from '@opentelemetry/api';

/** Name of the meter and the tracer. */
export const scope = 'voice-assistant-chat-service';

let isOn = false;

/** Called once the SDK has started. Before, and without it, requests are not measured at all. */
export const turnOn = (): void => {
  isOn = true;
};

/** Creates an instrument at its first use: one that is created before the SDK has started measures nothing. */
function lazily<Instrument>(create: (meter: Meter) => Instrument): () => Instrument {
  let instrument: Instrument | undefined;
  return () => (instrument ??= create(metrics.getMeter(scope)));
}

const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const durations = lazily((meter) =>
  meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Time until the response began',
    advice: { explicitBucketBoundaries: secondBuckets },
  }),
);
const replies = lazily((meter) =>
  meter.createCounter('chat.replies', { description: 'Replies of assistants by outcome' }),
);
const firstTokens = lazily((meter) =>
  meter.createHistogram('chat.reply.time_to_first_token', {
    unit: 's',
    description: 'Time from the start of a reply to its first text',
    advice: { explicitBucketBoundaries: secondBuckets },
  }),
);
const firstWords = lazily((meter) =>
  meter.createHistogram('call.reply.time_to_first_word', {
    unit: 's',
    description: 'Time from the end of what a caller said to the first word of the answer',
    advice: { explicitBucketBoundaries: secondBuckets },
  }),
);
const streams = lazily((meter) =>
  meter.createUpDownCounter('chat.streams.open', { description: 'Open event streams by route' }),
);
const takenOver = lazily((meter) =>
  meter.createCounter('chat.leases.taken_over', {
    description: 'Replies and calls of dead processes that this process ended',
  }),
);
const money = lazily((meter) =>
  meter.createCounter('chat.money', { unit: 'USD', description: 'Charges and refunds of balances' }),
);

export const countReply = (outcome: 'answered' | 'failed'): void => {
  replies().add(1, { outcome });
};

export const recordFirstToken = (milliseconds: number): void => {
  firstTokens().record(milliseconds / 1000);
};

export const recordFirstWord = (seconds: number): void => {
  firstWords().record(seconds);
};

/** Counts an event stream; returns the function that ends it. */
export function countStream(route: string): () => void {
  const attributes = { 'http.route': route };
  streams().add(1, attributes);
  return () => {
    streams().add(-1, attributes);
  };
}

export const countTakenOver = (kind: 'reply' | 'call', count: number): void => {
  if (count > 0) takenOver().add(count, { kind });
};

/** Counts a movement before its transaction is committed, so one that is rolled back counts, too. */
export const countMoney = (kind: 'charge' | 'refund', amount: string): void => {
  money().add(Number(amount), { kind });
};

/** A finished request. The path is left out, since anyone who has a conversation's UUID can read it. */
interface HandledRequest {
  method: string;
  route: string;
  status: number;
}

/**
 * Handles a request in a span, whose parent the headers name, and records its duration.
 *
 * @param handle returns the method, the route and the status of the response.
 */
export async function measureRequest(
  headers: () => Record<string, string>,
  handle: () => Promise<HandledRequest>,
): Promise<void> {
  if (!isOn) {
    await handle();
    return;
  }
  const start = performance.now();
  const parent = propagation.extract(context.active(), headers());
  await trace.getTracer(scope).startActiveSpan('request', { kind: SpanKind.SERVER }, parent, async (span) => {
    try {
      const { method, route, status } = await handle();
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      };
      durations().record((performance.now() - start) / 1000, attributes);
      span.updateName(`${method} ${route}`);
      span.setAttributes(attributes);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    } finally {
      span.end();
    }
  });
}
