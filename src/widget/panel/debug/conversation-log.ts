import type { Message, Snapshot } from '../../conversation/snapshot.ts';
import { describeProblem } from './owner-advice.ts';
import { logLine } from './log-line.ts';

/** Logs changes of a conversation, without the text of messages. */
export class ConversationLog {
  #before: Snapshot | undefined;

  follow(snapshot: Snapshot): void {
    const before = this.#before;
    this.#before = snapshot;
    if (before === snapshot) return;
    if (before?.status !== snapshot.status) logStatus(snapshot, before);
    if (before !== undefined && before.aiEnabled !== snapshot.aiEnabled)
      logLine(snapshot.aiEnabled ? 'The assistant answers again.' : 'A person answers now.');
    const known = new Map(before?.messages.map((message) => [message.key, message]));
    const hasOpened = before?.status !== 'opening';
    snapshot.messages.forEach((message, index) => {
      const previous = known.get(message.key);
      // Messages from before the opening are not logged.
      if (previous !== message && (previous !== undefined || hasOpened))
        logMessage(`Message ${index + 1}`, message, previous);
    });
  }
}

function logStatus({ status, messages, openedIn, problem }: Snapshot, before: Snapshot | undefined): void {
  if (problem !== undefined) logLine(`The conversation cannot continue. ${describeProblem(problem)}`);
  else if (status === 'opening') logLine('The conversation is being opened.');
  else if (status === 'ended') logLine('The conversation has ended.');
  else if (before?.status === 'opening')
    logLine(
      `The conversation is open after ${Math.round(openedIn ?? 0)} ms, with ${messages.length} messages.`,
    );
}

function logMessage(name: string, message: Message, previous: Message | undefined): void {
  const { role, status, text, timing, problem, functionCalls } = message;
  if (previous?.status === status && previous.problem === problem) return;
  const length = `${text.length} characters`;
  if (role === 'user') {
    if (status === 'failed' && problem) logLine(`${name} could not be sent. ${describeProblem(problem)}`);
    else logLine(`${name} (${length}) is ${status}.`);
  } else if (status === 'streaming') logLine(`${name}: the answer begins.`);
  else {
    const time = timing
      ? `, first words after ${Math.round(timing.first)} ms, complete after ${Math.round(timing.total)} ms`
      : '';
    const used = functionCalls.map(({ name, client }) => ({
      function: name,
      by: client ? 'the page' : 'the service',
    }));
    logLine(`${name} (${length}) was received${time}.`, used.length > 0 ? used : undefined);
  }
}
