import { eventsOf } from '../support/servers/chat-server.ts';

const seeds: unknown[] = [
  { status: true, conversation_id: 'c', history: [{ role: 'assistant', content: 'Hi' }] },
  { status: true, message: 'Hi', function_calls: [{ name: 'a', arguments: { b: [1] }, result: null }] },
  { status: true, data: { name: 'n', language: 'en', widget_settings: { theme: 'dark' } } },
  { status: false, error: 'Assistant not found' },
  { message: 'Too Many Attempts.', retry_after: 5 },
];
const values: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  'x',
  [],
  {},
  [[[]]],
  { toString: 1 },
  '\ud800',
];

/**
 * Creates malformed bodies, the same at every call: valid ones with a replaced value, with changed bytes, truncated, or as
 * events.
 */
export function malformedBodies(count: number): (string | Uint8Array)[] {
  const random = pseudoRandom(7);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const replaceValue = (value: unknown): unknown => {
    if (random() < 0.2 || typeof value !== 'object' || value === null) return pick(values);
    const copy = structuredClone(value) as Record<string, unknown>;
    const key = pick([...Object.keys(copy), '__proto__', 'status']);
    Object.defineProperty(copy, key, {
      value: replaceValue(copy[key]),
      enumerable: true,
      configurable: true,
    });
    return copy;
  };
  const damage = (text: string): Uint8Array => {
    const bytes = Buffer.from(text);
    for (let n = 0; n < 3; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return bytes;
  };
  const generators: (() => string | Uint8Array)[] = [
    () => JSON.stringify(replaceValue(pick(seeds))),
    () => damage(JSON.stringify(pick(seeds))),
    () => JSON.stringify(pick(seeds)).slice(0, Math.floor(random() * 40)),
    () => damage(eventsOf('Some words for you').join('')),
    () =>
      `event: ${pick(['delta', 'done', 'error', 'function_call'])}\ndata: ${JSON.stringify(replaceValue(pick(seeds)))}\n\n`,
    () => '['.repeat(Math.floor(random() * 20_000)),
  ];
  return Array.from({ length: count }, () => pick(generators)());
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
