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
  /** Bytes of a response body, or of one streamed answer, that a reader takes in before it gives up. */
  responseBody: 16 * 1024 * 1024,
} as const;

/** The same for what goes along with a message about tools of the page. Apart, because only who has tools loads it. */
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

/**
 * Counts characters as the interface means them: Unicode code points, so an emoji outside the basic plane is one
 * character and not two.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
