import { callRefusals } from '../../../contract/web-call-endpoints.ts';
import type { Problem } from '../../conversation/problem.ts';
import type { CallTexts } from '../../texts/call-texts.ts';
import type { Texts } from '../../texts/texts.ts';
import type { MicrophoneError } from './request-microphone.ts';

/** Why a call is over: the key of its text. */
export type CallEnd =
  | Extract<
      keyof CallTexts,
      | 'over'
      | 'dismissed'
      | 'noDevice'
      | 'busy'
      | 'insecure'
      | 'blocked'
      | 'unavailable'
      | 'lost'
      | 'timeLimit'
      | 'callLimit'
      | 'otherTab'
      | 'silence'
      | 'failed'
    >
  | Extract<
      keyof Texts,
      'noMicrophone' | 'impossible' | 'balanceAdvice' | 'network' | 'ended' | 'tooManyMessages' | 'signIn'
    >;

/** Only Chromium exposes whether a page's policy forbids a feature. */
interface PolicyDocument {
  readonly featurePolicy?: { readonly allowsFeature: (feature: string) => boolean };
}

/** Why the microphone cannot be used. Browsers report several reasons by the same error. */
export async function microphoneProblem({ name, message, isImmediate }: MicrophoneError): Promise<CallEnd> {
  if (!isSecureContext) return 'insecure';
  // Not an error of `getUserMedia`: that or WebRTC is missing.
  if (/^(Type)?Error/.test(name)) return 'impossible';
  if (/NotFound|Overconstrained/.test(name)) return 'noDevice';
  if (/NotReadable|Abort/.test(name)) return 'busy';
  if ((document as PolicyDocument).featurePolicy?.allowsFeature('microphone') === false) return 'blocked';
  if (/dismissed/.test(message)) return 'dismissed';
  // Firefox and Safari refuse at once if a page around this one forbids it, and otherwise ask the visitor.
  const isInFrame = isFramed();
  if (isInFrame && isImmediate) return 'blocked';
  try {
    const { state } = await navigator.permissions.query({ name: 'microphone' });
    if (state === 'prompt') return isInFrame ? 'blocked' : 'dismissed';
  } catch {
    // The browser does not say.
  }
  return 'noMicrophone';
}

/** Whether a page of another origin contains this one. That page then decides about the microphone. */
function isFramed(): boolean {
  try {
    return !window.top?.location.href;
  } catch {
    return true;
  }
}

/** The call's end for each start of a refusal or end reason. */
const endsByStart: readonly (readonly [start: string, CallEnd])[] = [
  [callRefusals.callInProgress, 'otherTab'],
  [callRefusals.callEnded, 'lost'],
  [callRefusals.limitReached, 'callLimit'],
  ['limit-reached', 'callLimit'],
  ['insufficient-balance', 'balanceAdvice'],
  ['conversation-ended', 'ended'],
  ['too-many-requests', 'tooManyMessages'],
  ['user-token', 'signIn'],
  ['silence', 'silence'],
  ['balance', 'balanceAdvice'],
  ['time-limit', 'timeLimit'],
  ['failed', 'failed'],
];

const endFor = (text: string): CallEnd | undefined =>
  endsByStart.find(([start]) => text.startsWith(start))?.[1];

/** Why a call does not connect: an error or a problem. */
export function connectionProblem(error: unknown): CallEnd {
  const { code, message } = error as Problem;
  // WebRTC's own errors do not say what is wrong: they have no code, or a number.
  if (!(code as string | undefined)?.length) return 'failed';
  if (/network|offline|timeout/.test(code)) return 'network';
  return endFor(message) ?? endFor(code) ?? 'unavailable';
}

/** Why the service has ended a call. */
export function serviceEnd(reason: unknown): CallEnd {
  return endFor(String(reason)) ?? 'over';
}
