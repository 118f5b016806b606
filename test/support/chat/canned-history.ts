/** One message of a history, in wire format. */
export interface CannedMessage {
  readonly role: 'assistant' | 'user' | 'system' | 'tool' | 'function';
  readonly content: string | null;
  readonly author?: string;
  readonly created_at?: string;
  readonly function_calls?: readonly object[];
}

/** The origin of the canned service. `serveHistory` intercepts its requests; no server listens there. */
export const cannedService = 'https://canned.invalid';

const { fetch } = globalThis;
let history: readonly CannedMessage[] = [];
let pageSize = Infinity;

/**
 * Serves a history at `cannedService`, since real messages cannot be days old. Sending a message there fails. Other
 * requests go to the network.
 *
 * @param maxMessages maximum number of messages per page; the first page has the latest ones
 */
export function serveHistory(messages: readonly CannedMessage[], maxMessages = Infinity): void {
  history = messages;
  pageSize = maxMessages;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith(cannedService)) return fetch(input, init);
    const { pathname, searchParams } = new URL(url);
    const isConversation = /\/api\/conversations(\/[\w-]+)?$/.test(pathname);
    if (isConversation) return answer(pageBefore(Number(searchParams.get('before') ?? history.length)));
    return answer({ status: false, error: 'Failed to process message: out of order' }, 400);
  };
}

function pageBefore(end: number): object {
  const start = Math.max(0, end - pageSize);
  const earlier = start > 0 ? { earlier_cursor: String(start) } : {};
  return { status: true, conversation_id: id, history: history.slice(start, end), ...earlier };
}

const answer = (body: object, status = 200): Promise<Response> =>
  Promise.resolve(Response.json(body, { status }));

const id = '11111111-2222-4333-8444-555555555556';

/** Stops serving a history. Call it in `afterEach`. */
export function serveNoHistory(): void {
  globalThis.fetch = fetch;
}

/** Noon of the day `days` days ago, less `minutes`. At noon, neighboring time zones have the same date. */
export function ago(days: number, minutes = 0): string {
  const noon = new Date();
  noon.setHours(12, 0, 0, 0);
  noon.setDate(noon.getDate() - days);
  return new Date(noon.getTime() - minutes * 60_000).toISOString();
}

/** In the last minute of a day, waits for the next one, so that a test can end on the day on which it began. */
export async function waitOverMidnight(): Promise<void> {
  const left = new Date().setHours(24, 0, 0, 0) - Date.now();
  if (left < 60_000)
    await new Promise((resolve) => {
      setTimeout(resolve, left + 10);
    });
}
