import type { CallPlan } from '../../../src/service/carrier/carrier.ts';

/** The settings of an assistant that can be interrupted and whose turns end after a pause of 0.9 seconds. */
export const speechSettings: CallPlan['speech'] = {
  language: 'en',
  speed: 1,
  allowInterruptions: true,
  minInterruptWords: 0,
  interruptSensitivity: 0.5,
  endpointType: 'vad',
  endpointSensitivity: 0.5,
};

/** The plan of a call that is not recorded. */
export const callPlan = (given: Partial<CallPlan> = {}): CallPlan => ({
  callId: 7,
  token: 'the-token-of-call-7',
  connectToken: 'the-token-of-a-connection',
  maxDuration: 600,
  record: false,
  assistant: '00000000-0000-4000-8000-000000000007',
  mode: 'pipeline',
  model: null,
  speech: speechSettings,
  ...given,
});

/** No realtime model. */
export const noRealtime = {
  models: [],
  transcriptionModel: 'any',
  recordUsage: () => Promise.resolve(),
} as const;
