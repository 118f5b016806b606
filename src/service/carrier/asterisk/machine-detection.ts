import { randomUUID } from 'node:crypto';
import type { AnsweredBy } from '../carrier.ts';
import type { AriClient, AriEvent } from './ari-client.ts';

/** The dialplan context for detection, and the variable with the application that receives the result. */
const context = 'voice-assistant-machine';
const applicationVariable = 'VOICE_ASSISTANT';

/**
 * Detects during the conversation whether a machine has answered: a snoop channel on the customer runs the dialplan's
 * `AMD()` and returns with its result.
 */
export class MachineDetection {
  readonly channelId = randomUUID();
  readonly #ari: AriClient;
  readonly #application: string;
  readonly #onIdentified: (by: AnsweredBy) => void;

  constructor(ari: AriClient, application: string, onIdentified: (by: AnsweredBy) => void) {
    this.#ari = ari;
    this.#application = application;
    this.#onIdentified = onIdentified;
  }

  /** Starts a snoop channel on the customer's channel. */
  async start(customerId: string): Promise<void> {
    await this.#ari.sendIfThere('POST', `/channels/${customerId}/snoop/${this.channelId}`, {
      app: this.#application,
      spy: 'in',
    });
  }

  /** Handles the snoop channel's entry to the application: after its start, or with the result. */
  async onEntered({ args = [] }: AriEvent): Promise<void> {
    const [event, status, cause] = args;
    const path = `/channels/${this.channelId}`;
    if (event !== 'identified') {
      const variable = { variable: applicationVariable, value: this.#application };
      await this.#ari.sendIfThere('POST', `${path}/variable`, variable);
      await this.#ari.sendIfThere('POST', `${path}/continue`, { context, extension: 's', priority: '1' });
      return;
    }
    const by = answeredBy(status, cause);
    if (by !== undefined) this.#onIdentified(by);
    await this.stop();
  }

  async stop(): Promise<void> {
    await this.#ari.sendIfThere('DELETE', `/channels/${this.channelId}`);
  }
}

/** Ignores initial silence: people who wait for the caller to speak are silent, too. */
function answeredBy(status = '', cause = ''): AnsweredBy | undefined {
  if (status === 'HUMAN') return 'human';
  return status === 'MACHINE' && !cause.startsWith('INITIALSILENCE') ? 'machine' : undefined;
}
