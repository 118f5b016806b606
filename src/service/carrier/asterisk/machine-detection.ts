import { randomUUID } from 'node:crypto';
import type { AnsweredBy } from '../carrier.ts';
import type { AriClient, AriEvent } from './ari-client.ts';

/** Where the dialplan listens, and the variable with the application that receives the result. */
const context = 'voice-assistant-machine';
const applicationVariable = 'VOICE_ASSISTANT';

/**
 * Finds out whether a machine has answered, during the conversation: a channel that only listens to the customer
 * goes through the dialplan's detection (`AMD()`), and returns with its result.
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

  /** Begins to listen to the customer's channel. */
  async start(customerId: string): Promise<void> {
    await this.#ari.sendIfThere('POST', `/channels/${customerId}/snoop/${this.channelId}`, {
      app: this.#application,
      spy: 'in',
    });
  }

  /** The listening channel has entered the application: at first, or with the result. */
  async onEntered({ args = [] }: AriEvent): Promise<void> {
    const [news, status, cause] = args;
    const path = `/channels/${this.channelId}`;
    if (news !== 'identified') {
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

/** People who listen first are silent at the beginning, too. */
function answeredBy(status = '', cause = ''): AnsweredBy | undefined {
  if (status === 'HUMAN') return 'human';
  return status === 'MACHINE' && !cause.startsWith('INITIALSILENCE') ? 'machine' : undefined;
}
