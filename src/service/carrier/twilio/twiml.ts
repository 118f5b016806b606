import twilio from 'twilio';
import type { CallPlan, NextStep } from '../carrier.ts';
import { checkCallId } from './check-call.ts';
import type { ConnectionParameters } from './relay-frames.ts';
import type { StreamParameters } from './stream-frames.ts';
import { countsWords, speechAttributes } from './speech-attributes.ts';
import type { WebhookUrls } from './webhook-urls.ts';

const { VoiceResponse } = twilio.twiml;

/** Maximum duration of a call at the carrier, in seconds. */
export const longestCall = 14_400;

/**
 * Connects the call to this service, which exchanges text with the carrier.
 *
 * @param options.recordsHere whether to start the recording, for calls that were not dialed with `record`.
 */
export function relayTwiml(
  plan: CallPlan,
  urls: WebhookUrls,
  { recordsHere = false }: { recordsHere?: boolean } = {},
): string {
  const response = new VoiceResponse();
  if (recordsHere && plan.record) startRecording(response, plan, urls);
  const relay = response
    .connect({ action: urls.ofCall(plan, 'relay') })
    .conversationRelay({ url: urls.relay, ...speechAttributes(plan.speech) });
  addParameters(relay, {
    callId: String(plan.callId),
    token: plan.token,
    connectToken: plan.connectToken,
    maxDuration: String(plan.maxDuration),
    speed: String(plan.speech.speed),
    interruptingWords: String(countsWords(plan.speech) ? plan.speech.minInterruptWords : 0),
    languages: [plan.speech.language, ...(plan.speech.otherLanguages ?? [])].join(),
  });
  return response.toString();
}

/**
 * Connects the audio of the call to this service. When the connection has ended, but not the call, the carrier asks for
 * the next step.
 *
 * @param options.isIncoming whether this is the first connection of an incoming call; starts its recording.
 */
export function streamTwiml(
  plan: CallPlan,
  urls: WebhookUrls,
  { isIncoming = false }: { isIncoming?: boolean } = {},
): string {
  const response = new VoiceResponse();
  if (isIncoming && plan.record) startRecording(response, plan, urls);
  const stream = response.connect().stream({ url: urls.stream });
  addParameters(stream, {
    callId: String(plan.callId),
    token: plan.token,
    connectToken: plan.connectToken,
    maxDuration: String(plan.maxDuration),
    ...(isIncoming && { direction: 'inbound' }),
  });
  response.redirect({ method: 'POST' }, urls.ofCall(plan, 'stream'));
  return response.toString();
}

/** Connects a test call, which has no record. */
export function testCallTwiml(urls: WebhookUrls, token: string): string {
  const response = new VoiceResponse();
  const relay = response.connect().conversationRelay({ url: urls.relay, language: 'en-US' });
  addParameters(relay, {
    callId: String(checkCallId),
    token,
    connectToken: token,
    maxDuration: '60',
    speed: '1',
    interruptingWords: '0',
    languages: 'en',
  });
  return response.toString();
}

function startRecording(
  response: InstanceType<typeof VoiceResponse>,
  plan: CallPlan,
  urls: WebhookUrls,
): void {
  response.start().recording({
    channels: 'dual',
    recordingStatusCallback: urls.ofCall(plan, 'recording'),
    recordingStatusCallbackEvent: ['completed'],
    trim: 'do-not-trim',
  });
}

/** The process that receives the connection identifies the call by these parameters. */
function addParameters(
  relay: { parameter: (attributes: { name: string; value: string }) => unknown },
  parameters: ConnectionParameters | Partial<StreamParameters>,
): void {
  for (const [name, value] of Object.entries(parameters)) relay.parameter({ name, value });
}

/** Connects the customer to another number. `statusCallback` receives the answer, `action` the outcome. */
export function transferTwiml(
  { to, callerId, ringingTime, maxDuration }: Extract<NextStep, { type: 'transfer' }>,
  { action, statusCallback }: { action: string; statusCallback: string },
): string {
  const response = new VoiceResponse();
  response
    .dial({
      action,
      ...(callerId === '' ? {} : { callerId }),
      timeout: clamp(ringingTime, 5, 600),
      timeLimit: clamp(maxDuration, 1, longestCall),
      answerOnBridge: false,
    })
    .number({ statusCallback, statusCallbackEvent: ['answered'] }, to);
  return response.toString();
}

export function hangUpTwiml(): string {
  const response = new VoiceResponse();
  response.hangup();
  return response.toString();
}

/** Refuses an incoming call before it is answered, so that it costs nothing. */
export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  const response = new VoiceResponse();
  response.reject({ reason });
  return response.toString();
}

/** A response without instructions, for a call that has ended. */
export const emptyTwiml = (): string => new VoiceResponse().toString();

export const clamp = (seconds: number, min: number, max: number): number =>
  Math.round(Math.min(max, Math.max(min, seconds)));
