import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Meter } from '@opentelemetry/api';
import { catalog } from './catalog.ts';
import type { Metric } from './catalog.ts';

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

/** The metrics of a kind. */
type NameOf<Kind extends Metric['kind']> = {
  [Name in keyof typeof catalog]: (typeof catalog)[Name]['kind'] extends Kind ? Name : never;
}[keyof typeof catalog];

const histogram = (name: NameOf<'histogram'>) =>
  lazily((meter) =>
    meter.createHistogram(name, {
      ...optionsOf(name),
      advice: { explicitBucketBoundaries: secondBuckets },
    }),
  );
const counter = (name: NameOf<'counter'>) => lazily((meter) => meter.createCounter(name, optionsOf(name)));

function optionsOf(name: keyof typeof catalog) {
  const { unit, description }: Metric = catalog[name];
  return { description, ...(unit !== undefined && { unit }) };
}

const durations = histogram('http.server.request.duration');
const replies = counter('chat.replies');
const firstTokens = histogram('chat.reply.time_to_first_token');
const firstWords = histogram('call.reply.time_to_first_word');
const streams = lazily((meter) =>
  meter.createUpDownCounter('chat.streams.open', optionsOf('chat.streams.open')),
);
const takenOver = counter('chat.leases.taken_over');
const money = counter('chat.money');

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

/** Counts replies or calls taken over, 0 too: the alert's `increase()` ignores the first value of a counter. */
export const countAbandoned = (kind: 'reply' | 'call', count: number): void => {
  takenOver().add(count, { kind });
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
