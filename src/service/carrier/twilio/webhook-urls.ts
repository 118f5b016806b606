/** The webhooks of a call. */
export type CallWebhook = 'status' | 'amd' | 'recording' | 'relay' | 'stream' | 'dial' | 'transfer';

/** The base path of all webhooks. */
export const webhookPath = '/api/carrier/twilio';

/** The URLs at which the carrier reaches this service. The carrier signs them. */
export class WebhookUrls {
  readonly #publicUrl: string;

  /** @param publicUrl the service's public address, without a trailing slash. */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  /** Returns the URL of a path below {@link webhookPath}. */
  of(path: string): string {
    return `${this.#publicUrl}${webhookPath}${path}`;
  }

  /** Returns the URL of a call's webhook. Its token proves that a report belongs to the call. */
  ofCall({ callId, token }: { callId: number; token: string }, webhook: CallWebhook): string {
    return this.of(`/calls/${callId}/${token}/${webhook}`);
  }

  get incoming(): string {
    return this.of('/incoming');
  }

  /** URL of a short silence. Playing it stops the assistant's speech. */
  get silence(): string {
    return this.of('/silence.wav');
  }

  /** URL of the WebSocket of ConversationRelay. */
  get relay(): string {
    return this.of('/relay').replace(/^http/, 'ws');
  }

  /** URL of the WebSocket of Media Streams. */
  get stream(): string {
    return this.of('/stream').replace(/^http/, 'ws');
  }
}
