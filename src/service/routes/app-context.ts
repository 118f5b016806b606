import type { Logger } from 'pino';
import type { Carrier } from '../carrier/carrier.ts';
import type { CarrierNumbers } from '../carrier/carrier-numbers.ts';
import type { Config } from '../config.ts';
import type { ConversationEvents } from '../conversation/conversation-events.ts';
import type { SendingDependencies } from '../conversation/send-message.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { WebCalls } from '../web-call/web-calls.ts';

/** The parts of the service that routes use. */
export interface AppContext extends SendingDependencies {
  config: Config;
  events: ConversationEvents;
  jobs: Jobs;
  carrier: Carrier;
  /** The numbers that the carrier sells; undefined if it sells none. */
  numbers: CarrierNumbers | undefined;
  webCalls: WebCalls;
  log: Logger;
  /** Problems of the language models that the operator must solve. */
  modelProblems: () => string[];
  /** Whether the service is stopping and must not accept more work. */
  isStopping: () => boolean;
}
