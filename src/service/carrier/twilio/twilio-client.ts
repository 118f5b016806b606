import twilio from 'twilio';
import { CarrierError } from '../carrier-numbers.ts';
import type { TwilioConfig } from './twilio-config.ts';

const requestTimeoutMs = 15_000;

/** Sends all requests to one address, such as that of a proxy. The carrier's services differ in their paths. */
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

/** Creates a client of the carrier's REST interface. It repeats a request only if the carrier asks for it (429). */
export function createTwilioClient({ accountSid, authToken, apiKey, apiUrl }: TwilioConfig): twilio.Twilio {
  return twilio(apiKey?.sid ?? accountSid, apiKey?.secret ?? authToken, {
    accountSid,
    timeout: requestTimeoutMs,
    autoRetry: true,
    ...(apiUrl === undefined ? {} : { httpClient: new RedirectingClient(apiUrl) }),
  });
}

/** Causes of a refusal by the carrier's error code, with the remedy. */
const problems: Readonly<Record<number, string>> = {
  10001: 'The Twilio account is not active. Check it in the Twilio Console.',
  10004: 'The Twilio account has too many calls at once. Try again later.',
  20003: 'Twilio refuses the credentials. The operator must check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  20005: 'The Twilio account is not active. Check it in the Twilio Console.',
  20429: 'Twilio has received too many requests. Try again later.',
  21203: 'The Twilio account may not make international calls. Allow them in the Twilio Console.',
  21210:
    'The number of the assistant is neither bought at Twilio nor verified as a caller ID. Buy or verify it.',
  21211: 'The number cannot be called: Twilio does not know it as a phone number.',
  21212: 'The number of the assistant is not a phone number at Twilio. Choose another one.',
  21214: 'The number cannot be reached.',
  21215:
    'The Twilio account may not call this country. Allow it in the Twilio Console: Voice, Settings, Geo permissions.',
  21216: 'The Twilio account may not call this number.',
  21217: 'The number cannot be called: Twilio does not know it as a phone number.',
  21219: 'A Twilio trial account calls only verified numbers. Verify this number or upgrade the account.',
  21404: 'A Twilio trial account has only one number. Upgrade the account to buy more.',
  21422: 'The number is no longer available. Search for another one.',
  21452: 'Twilio has no number like this. Search for another one.',
  21615: 'Twilio sells this number only with an address in its country. Add one in the Twilio Console.',
  21631: 'Twilio sells this number only with an address in its country. Add one in the Twilio Console.',
  21649: 'Twilio sells this number only with a regulatory bundle. Create one in the Twilio Console.',
};

/** Connection errors after which the request was certainly not sent. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);

/** The carrier's status and error code of a refusal. */
export interface Rejection {
  status: number;
  code: number;
}

/** Reads the carrier's refusal from an error; undefined if the carrier did not refuse the request. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!(error instanceof twilio.RestException)) return undefined;
  return error.status >= 400 && error.status < 500
    ? { status: error.status, code: error.code ?? 0 }
    : undefined;
}

/**
 * Translates an error of a request. The original contains the carrier's address and the account, and that of a
 * connection even the credentials, so it is not kept as a cause.
 *
 * @returns a CarrierError if the request had certainly no effect.
 */
export function translateError(error: unknown, action: string): Error {
  const rejection = rejectionOf(error);
  if (rejection) {
    const { status, code } = rejection;
    const known = problems[code] ?? problems[status === 401 ? 20003 : status === 429 ? 20429 : 0];
    return new CarrierError(known ?? `Twilio refuses ${action} (error ${code === 0 ? status : code}).`);
  }
  if (error instanceof twilio.RestException) {
    return new Error(`Twilio failed at ${action} (status ${error.status}).`);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  if (neverSent.has(code)) return new CarrierError(`Twilio cannot be reached (${code}). Try again later.`);
  return new Error(`Twilio did not answer ${action} (${code}).`);
}
