/**
 * Every limit of the wire, in one place. The service refuses what goes past them; the widget counts against them
 * before it sends, so that a visitor learns of a limit while typing and not from an error.
 */
export const limits = {
  /** Characters of one visitor's message (interface: `POST /conversations/{uuid}/messages`). */
  message: { min: 1, max: 2000 },
  /** Variables of one request or assistant. Our own bound, far above what a prompt uses. */
  variables: {
    count: 100,
    nameCharacters: 64,
    valueCharacters: 2000,
  },
  /** Characters of an `Idempotency-Key` header: a UUID has 36, other clients' keys are longer. */
  idempotencyKey: { max: 255 },
  /** Bytes of a request body. A message of 2,000 four-byte characters with full variables stays below. */
  requestBody: 1024 * 1024,
  /** Characters of one answer or name that a client shows, and tool calls of one answer. The rest is left out. */
  answer: { characters: 100_000, functionCalls: 100 },
  /** Bytes of a response body, or of one streamed answer, that a reader takes in before it gives up. */
  responseBody: 16 * 1024 * 1024,
} as const;

/** Limits of what goes along with a message about tools of the page. Apart, because only who has tools loads them. */
export const toolLimits = {
  /** Tools that a page may offer with one message, and parameters of each. */
  tools: { count: 16, parameters: 16 },
  /** Characters of the name of a tool or a parameter: letters, digits, `_` and `-`; a parameter's may be a single one. */
  toolName: { min: 2, max: 64 },
  /** Characters of the description of a tool or a parameter. */
  toolDescription: { max: 255 },
  /** Results that may go with one message, and characters of each as JSON. */
  toolResults: { count: 16, characters: 4000 },
} as const;

/** What the owner's records may hold (interface: "Limits" and the tables of fields). Apart, because no visitor loads it. */
export const recordLimits = {
  /** Ids of one list, such as `tool_ids`; entries of one, such as `tools`. Ours. */
  listed: 50,
  /** Characters of an address. Ours. */
  url: 2048,
  /** Digits of a phone number, country code included (E.164). */
  phoneDigits: { min: 7, max: 15 },
  /** The highest page, ours, and the most records of one. */
  page: { number: 1_000_000, size: 100 },
  variables: limits.variables,
  name: 255,
  assistant: {
    initialMessage: 200,
    /** Ours: what a prompt may have after variables were filled in. */
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
    share: { min: 0, max: 1 },
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
    /** Ours: what language models take as the name of a function. */
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
    /** Bytes of a document, and of a request that brings one. */
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
 * Counts characters as the interface means them: Unicode code points, so an emoji outside the basic plane is one
 * character and not two.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (const character of text) count += character ? 1 : 0;
  return count;
}
