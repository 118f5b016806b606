import { ChatError } from '../../../client/errors.ts';
import { voiceErrorTexts } from '../../../contract/voice-endpoints.ts';
import type { CallTexts } from '../../texts/call-texts.ts';
import type { Texts } from '../../texts/texts.ts';

/** The key of a problem's text. */
export type CallProblem =
  | Extract<
      keyof CallTexts,
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
      'noMicrophone' | 'impossible' | 'balanceAdvice' | 'network' | 'ended' | 'waitAdvice' | 'signIn'
    >;

/** The error of a call that cannot start or continue. */
export class CallError extends Error {
  readonly problem: CallProblem;

  constructor(problem: CallProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Chromium alone says whether a page's policy forbids a feature. */
interface Policy {
  readonly allowsFeature: (feature: string) => boolean;
}

/** Why the microphone cannot be used. Browsers report several reasons by the same error. */
export async function microphoneProblem({ name, message }: Error): Promise<CallProblem> {
  if (!isSecureContext) return 'insecure';
  if (!('mediaDevices' in navigator && 'RTCPeerConnection' in globalThis)) return 'impossible';
  if (/NotFound|Overconstrained/.test(name)) return 'noDevice';
  if (/NotReadable|Abort/.test(name)) return 'busy';
  const { featurePolicy } = document as { featurePolicy?: Policy };
  if (featurePolicy?.allowsFeature('microphone') === false) return 'blocked';
  if (/dismissed/.test(message)) return 'dismissed';
  const query = navigator.permissions.query({ name: 'microphone' });
  const { state } = await query.catch(() => ({ state: 'denied' }));
  if (state === 'prompt') return isFramed() ? 'blocked' : 'dismissed';
  return 'noMicrophone';
}

/** Whether a page of another origin contains this one: then that page decides about the microphone. */
function isFramed(): boolean {
  return 'ancestorOrigins' in location
    ? [...location.ancestorOrigins].some((origin) => origin !== location.origin)
    : window !== window.top;
}

/** The problem for each refusal of the service, which has this code or text. */
const refusals: readonly (readonly [start: string, CallProblem])[] = [
  [voiceErrorTexts.callInProgress, 'otherTab'],
  [voiceErrorTexts.callEnded, 'lost'],
  [voiceErrorTexts.limitReached, 'callLimit'],
  ['limit-reached', 'callLimit'],
  ['insufficient-balance', 'balanceAdvice'],
  ['conversation-ended', 'ended'],
  ['too-many-requests', 'waitAdvice'],
  ['user-token', 'signIn'],
];

/** Why a call does not connect; undefined if another attempt may succeed. */
export function connectionProblem(error: unknown): CallProblem | undefined {
  if (error instanceof CallError) return error.problem;
  // WebRTC's own errors do not say what is wrong.
  if (!(error instanceof ChatError)) return undefined;
  const { code, message, status } = error;
  const known = refusals.find(([start]) => message.startsWith(start) || code.startsWith(start));
  return known?.[1] ?? (status === undefined ? undefined : 'unavailable');
}

/** Why the service has ended a call. */
export function endProblem(reason: unknown): CallProblem | 'over' {
  const problems: Record<string, CallProblem> = {
    silence: 'silence',
    balance: 'balanceAdvice',
    'time-limit': 'timeLimit',
    failed: 'failed',
  };
  return problems[String(reason)] ?? 'over';
}
