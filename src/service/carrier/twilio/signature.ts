import twilio from 'twilio';

/** Checks that requests come from the carrier: it signs the address and the fields of a form with the auth token. */
export class Signature {
  readonly #authToken: string;

  constructor(authToken: string) {
    this.#authToken = authToken;
  }

  /**
   * @param url the public address of the request, never one from forwarded headers.
   * @param fields the fields of the form; none for a WebSocket.
   */
  isValid(header: string | undefined, url: string, fields: Readonly<Record<string, string>> = {}): boolean {
    return header !== undefined && twilio.validateRequest(this.#authToken, header, url, { ...fields });
  }

  /** Signs a request as the carrier does, to check this service's own address. */
  create(url: string, fields: Readonly<Record<string, string>> = {}): string {
    return twilio.getExpectedTwilioSignature(this.#authToken, url, { ...fields });
  }
}
