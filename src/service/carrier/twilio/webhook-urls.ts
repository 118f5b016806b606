/** What a webhook of a call reports. */
export const callWebhooks = ['status', 'amd', 'recording', 'relay', 'dial', 'transfer'] as const;
export type CallWebhook = (typeof callWebhooks)[number];

/** The path of all webhooks, below which the routes are mounted. */
export const webhookPath = '/api/carrier/twilio';

/** The addresses at which the carrier reaches this service. They are also what it signs. */
export class WebhookUrls {
  readonly #publicUrl: string;

  /** @param publicUrl the service's public address, without a trailing slash. */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  /** The address of a path below {@link webhookPath}. */
  of(path: string): string {
    return `${this.#publicUrl}${webhookPath}${path}`;
  }

  /** The token in the address makes sure that a report concerns this call. */
  ofCall({ callId, token }: { callId: number; token: string }, webhook: CallWebhook): string {
    return this.of(`/calls/${callId}/${token}/${webhook}`);
  }

  get incoming(): string {
    return this.of('/incoming');
  }

  /** A short silence, which stops the assistant's speech when it is played. */
  get silence(): string {
    return this.of('/silence.wav');
  }

  /** The address of the WebSocket. */
  get relay(): string {
    return this.of('/relay').replace(/^http/, 'ws');
  }
}
