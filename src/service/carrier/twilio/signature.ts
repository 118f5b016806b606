import twilio from 'twilio';

/** Logged for a request with a wrong signature: the settings may be wrong, or somebody else sent it. */
export const unsigned = 'refused a request that is not signed for PUBLIC_URL with TWILIO_AUTH_TOKEN';

/** Verifies that requests come from the carrier, which signs the URL and the form fields with the auth token. */
export class Signature {
  readonly #authToken: string;

  constructor(authToken: string) {
    this.#authToken = authToken;
  }

  /**
   * @param url the public URL of the request, never one from forwarded headers.
   * @param fields the form fields; none for a WebSocket.
   */
  isValid(header: string | undefined, url: string, fields: Readonly<Record<string, string>> = {}): boolean {
    return header !== undefined && twilio.validateRequest(this.#authToken, header, url, { ...fields });
  }

  /** Signs a request as the carrier does, to check this service's public URL. */
  create(url: string, fields: Readonly<Record<string, string>> = {}): string {
    return twilio.getExpectedTwilioSignature(this.#authToken, url, { ...fields });
  }
}
