/**
 * The limits of the conversation endpoints that clients check: of requests, which the service rejects, and of answers.
 * The widget checks them while a visitor types.
 */
export const limits = {
  /** Characters of one visitor's message (interface: `POST /conversations/{uuid}/messages`). */
  message: { min: 1, max: 2000 },
  /** Variables of one request or assistant. Our own limit. */
  variables: {
    count: 100,
    nameCharacters: 64,
    valueCharacters: 2000,
  },
  /** Characters of an answer or a name that a client shows, and tool calls of an answer. The rest is dropped. */
  answer: { characters: 100_000, functionCalls: 100 },
  /** Bytes of a response body or a streamed answer that a client reads before it aborts. */
  responseBody: 16 * 1024 * 1024,
} as const;

/** Further limits of the conversation endpoints. Separate, because only the service checks them. */
export const requestLimits = {
  /** Characters of an `Idempotency-Key` header. */
  idempotencyKey: { max: 255 },
  /** Characters of a `user_token` and of its `sub`, and claims of it that become variables. */
  userToken: { max: 4096, subject: 255, claims: 20 },
  /** Characters of the name of a person who writes during a handoff. Our own limit. */
  author: { max: 100 },
  /** Bytes of a request body. A message of 2,000 four-byte characters with all variables fits. */
  requestBody: 1024 * 1024,
} as const;

/**
 * Limits of the account's records (interface: "Limits" and the tables of fields). Separate, because visitors do not
 * load them.
 */
export const recordLimits = {
  /** Items of a list such as `tool_ids` or `tools`. Ours. */
  listItems: 50,
  /** Characters of a URL. Ours. */
  url: 2048,
  /** Digits of a phone number, including the country code (E.164). */
  phoneDigits: { min: 7, max: 15 },
  /** The highest page number, ours, and the maximum number of records per page. */
  page: { number: 9_000_000_000_000_000, size: 100 },
  variables: limits.variables,
  name: 255,
  /** USD a day. */
  spending: { min: 0, max: 1_000_000_000 },
  assistant: {
    initialMessage: 200,
    /** Ours: also applies after variables are filled in. */
    systemPrompt: 64_000,
    prompt: 1000,
    /** Seconds. */
    maxDuration: { min: 20, max: 1200 },
    maxSilence: { min: 1, max: 360 },
    maxInitialSilence: { min: 1, max: 120 },
    ringingTime: { min: 1, max: 60 },
    reengagementInterval: { min: 7, max: 600 },
    /** Minutes. */
    inactivityTimeout: { min: 1, max: 1440 },
    /** Ours: the limits that an owner can set for messages. */
    conversationMessages: { min: 1, max: 10_000 },
    messagesPerDay: { min: 0, max: 1_000_000 },
    /** Ours: the limits that an owner can set for web calls. */
    concurrentWebCalls: { min: 1, max: 100_000 },
    webCallMinutesPerDay: { min: 1, max: 1_000_000 },
    fraction: { min: 0, max: 1 },
    speechSpeed: { min: 0.7, max: 1.2 },
    sensitivity: { min: 0, max: 5 },
    interruptWords: { min: 0, max: 10 },
    /** Characters of the fields of `post_call_schema`. */
    schemaName: { min: 3, max: 16 },
    schemaDescription: { min: 3, max: 255 },
    /** Ours. */
    toolDescription: 1000,
    filler: 255,
  },
  tool: {
    /** Ours: the length that language models accept for a function name. */
    name: { min: 1, max: 64 },
    description: 255,
    /** Seconds. */
    timeout: { min: 1, max: 30 },
    /** Characters of a header's name and value. Ours. */
    headerName: 255,
    headerValue: 4096,
    schemaName: { min: 2, max: 32 },
    schemaDescription: { min: 3, max: 255 },
  },
  knowledgebase: {
    /** Ours. */
    documents: 500,
    relativeLinks: { min: 1, max: 50 },
    /** Bytes of a document, and of an upload request. */
    file: 20 * 1024 * 1024,
    upload: 21 * 1024 * 1024,
  },
  campaign: {
    callsInParallel: { min: 1, max: 10 },
    retries: { min: 1, max: 5 },
    /** Minutes. */
    retryInterval: { min: 10, max: 4320 },
  },
  phoneNumber: { nickname: 50, searchedDigits: 10 },
} as const;

/**
 * Counts characters as the interface defines them: Unicode code points, so most emoji count as one character instead of
 * two.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (const character of text) count += character ? 1 : 0;
  return count;
}
