import type { Spoken } from '../../voice/line.ts';
import type { CallEnding, CallSettings } from '../store/call-store.ts';
import type { CallEvent, LeasedLine, Said } from '../connection/leased-line.ts';

/** The part of a call's conversation that a voicemail message needs. */
export interface VoicemailCall {
  line: LeasedLine;
  settings: CallSettings;
  signal: AbortSignal;
  /** Says a text, and adds its heard part to the transcript. */
  say: (text: string) => Promise<Spoken>;
  addSaid: (said: Said) => Promise<void>;
  /** Handles an end of the line that the customer has not caused. */
  lineEnded: (event: Extract<CallEvent, { type: 'ended' }>) => Promise<CallEnding | undefined>;
}

/** Attempts to leave the message. */
const maxAttempts = 3;
/** Longest wait for the transcript of an interruption of the message. */
const interruptionSeconds = 2;
/** A sound that begins later in the message is not the machine's tone, which follows its greeting. */
const toneSeconds = 5;
/** Longest wait for the end of an answering machine's greeting. */
const maxGreetingSeconds = 30;

const machineHungUp: CallEnding = { status: 'ended_by_customer', reason: 'voicemail' };

/**
 * Leaves the assistant's message on an answering machine, if it has one: after the machine's greeting, since machines
 * record nothing before it.
 *
 * @returns the end of the call; undefined if it continues.
 */
export async function leaveVoicemail(
  call: VoicemailCall,
  { waitsForGreeting }: { waitsForGreeting: boolean },
): Promise<CallEnding | undefined> {
  const { line, settings, signal } = call;
  const { voiceMailMessage: message, endCallOnVoicemail } = settings;
  let isLeft = false;
  if (message.trim() !== '') {
    if (waitsForGreeting) {
      const event = await line.next(Math.min(maxGreetingSeconds, settings.maxDuration), signal);
      if (event?.type === 'ended') return lineEnded(call, event);
      if (event?.type === 'said') await call.addSaid(event);
    }
    const said = await sayToMachine(call, message);
    if (said.ending !== undefined) return said.ending;
    ({ isLeft } = said);
  }
  if (!endCallOnVoicemail) return undefined;
  return { status: isLeft ? 'completed' : 'ended_by_assistant', reason: 'voicemail' };
}

/**
 * Says the message. After an interruption, such as the machine's tone, it is said again from its start, since nothing
 * before the tone is recorded.
 *
 * @returns whether the whole message was left, and the end of the call if it has ended meanwhile.
 */
async function sayToMachine(
  call: VoicemailCall,
  message: string,
): Promise<{ isLeft: boolean; ending?: CallEnding | undefined }> {
  const { line, signal } = call;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const spoken = await call.say(message);
    if (spoken.cutOffBy === undefined) {
      if (hasPausedForTone(spoken) && attempt < maxAttempts) continue;
      return { isLeft: true };
    }
    if (spoken.cutOffBy === 'time') break;
    const event = await line.next(interruptionSeconds, signal);
    if (event?.type === 'ended') return { isLeft: false, ending: await lineEnded(call, event) };
    if (event?.type === 'said') await call.addSaid(event);
  }
  return { isLeft: false };
}

const hasPausedForTone = ({ startedAt, pausedAt }: Spoken) =>
  startedAt !== undefined && pausedAt !== undefined && pausedAt - startedAt <= toneSeconds;

function lineEnded(
  call: VoicemailCall,
  event: Extract<CallEvent, { type: 'ended' }>,
): Promise<CallEnding | undefined> {
  return event.by === 'customer' ? Promise.resolve(machineHungUp) : call.lineEnded(event);
}
