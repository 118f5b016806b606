import twilio from 'twilio';
import { CarrierError, neverSent } from '../carrier-error.ts';
import type { DialRefusal } from '../carrier-error.ts';
import type { TwilioConfig } from './twilio-config.ts';

const requestTimeoutMs = 15_000;

/** Sends all requests to one origin, such as a proxy. The carrier's services differ in their paths. */
class RedirectingClient extends twilio.RequestClient {
  readonly #origin: string;

  constructor(origin: string) {
    super({ timeout: requestTimeoutMs, autoRetry: true });
    this.#origin = origin;
  }

  override request: twilio.RequestClient['request'] = (options) => {
    const { pathname, search } = new URL(options.uri);
    return super.request({ ...options, uri: this.#origin + pathname + search });
  };
}

/** Creates a client of the carrier's REST API. It retries a request only after the status 429. */
export function createTwilioClient({ accountSid, authToken, apiKey, apiUrl }: TwilioConfig): twilio.Twilio {
  return twilio(apiKey?.sid ?? accountSid, apiKey?.secret ?? authToken, {
    accountSid,
    timeout: requestTimeoutMs,
    autoRetry: true,
    ...(apiUrl === undefined ? {} : { httpClient: new RedirectingClient(apiUrl) }),
  });
}

/** Messages by the carrier's error code, with the remedy. */
const problems: Readonly<Record<number, string>> = {
  10001: 'The Twilio account is not active. Check it in the Twilio Console.',
  10004: 'The Twilio account has too many concurrent calls. Try again later.',
  20003: 'Twilio rejected the credentials. The operator must check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  20005: 'The Twilio account is not active. Check it in the Twilio Console.',
  20429: 'Twilio has received too many requests. Try again later.',
  21203: 'The Twilio account may not make international calls. Allow them in the Twilio Console.',
  21210: "The assistant's number is neither bought at Twilio nor verified as a caller ID. Buy or verify it.",
  21211: 'The number cannot be called: Twilio does not know it as a phone number.',
  21212: "Twilio does not recognize the assistant's number as a phone number. Choose another one.",
  21214: 'The number cannot be reached.',
  21215:
    'The Twilio account may not call this country. Allow it in the Twilio Console: Voice, Settings, Geo permissions.',
  21216: 'The Twilio account may not call this number.',
  21217: 'The number cannot be called: Twilio does not know it as a phone number.',
  21219: 'A Twilio trial account calls only verified numbers. Verify this number or upgrade the account.',
  21404: 'A Twilio trial account has only one number. Upgrade the account to buy more.',
  21422: 'The number is no longer available. Search for another one.',
  21452: 'Twilio has no matching number. Search for another one.',
  21615: 'Twilio sells this number only with an address in its country. Add one in the Twilio Console.',
  21631: 'Twilio sells this number only with an address in its country. Add one in the Twilio Console.',
  21649: 'Twilio sells this number only with a regulatory bundle. Create one in the Twilio Console.',
};

/** Error codes that concern more than one call. */
const reasons: Readonly<Record<number, DialRefusal>> = {
  10001: 'carrier-account',
  20003: 'carrier-account',
  20005: 'carrier-account',
  21210: 'no-caller-id',
  21212: 'no-caller-id',
};

/** Error codes of requests that may succeed later: too many concurrent calls, or too many requests. */
const temporary = [10004, 20429];

/** HTTP statuses that have the meaning of an error code. */
const statusCodes: Readonly<Record<number, number>> = { 401: 20003, 429: 20429 };

/** HTTP status and error code of a request that the carrier rejected. */
export interface Rejection {
  status: number;
  code: number;
}

/** Reads the carrier's rejection from an error; undefined if the carrier did not reject the request. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!(error instanceof twilio.RestException)) return undefined;
  return error.status >= 400 && error.status < 500
    ? { status: error.status, code: error.code ?? 0 }
    : undefined;
}

/**
 * Translates an error of a request. The original error contains the URL and the account, and for connection errors the
 * credentials, so it is not kept as the cause.
 *
 * @returns a CarrierError if the request is known to have had no effect.
 */
export function translateError(error: unknown, action: string): Error {
  const rejection = rejectionOf(error);
  if (rejection) {
    const { status } = rejection;
    const code = rejection.code in problems ? rejection.code : (statusCodes[status] ?? rejection.code);
    const message = problems[code] ?? `Twilio refuses ${action} (error ${code === 0 ? status : code}).`;
    return new CarrierError(message, { reason: reasons[code], isTemporary: temporary.includes(code) });
  }
  if (error instanceof twilio.RestException) {
    return new Error(`Twilio failed at ${action} (status ${error.status}).`);
  }
  const code = codeOf(error);
  if (neverSent.has(code)) {
    return new CarrierError(`Twilio cannot be reached (${code}). Try again later.`, { isTemporary: true });
  }
  return new Error(`Twilio did not answer ${action} (${code}).`);
}

/** Translates an error of a request that only reads. No error leaves its effect unknown, since it has none. */
export function translateReadError(error: unknown, action: string): CarrierError {
  const translated = translateError(error, action);
  if (translated instanceof CarrierError) return translated;
  return new CarrierError(`${translated.message} Try again later.`, { cause: translated });
}

/** The numeric codes of DOM exceptions say less than their names, such as `TimeoutError`. */
function codeOf(error: unknown): string {
  if (error instanceof DOMException) return error.name;
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code';
}
