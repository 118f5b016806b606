import { toolLimits } from '../../../contract/limits.ts';
import type { EngineRequest, ReplyEvent } from '../engine.ts';
import { readArguments } from './written-call.ts';
import type { WrittenCall } from './written-call.ts';

/** Calls of one answer that count: as many results of the page fit into its next message. */
export const callLimit = toolLimits.toolResults.count;

/** Longest arguments of a call, in characters of JSON: the page sends its result beside them. */
const argumentsLength = toolLimits.toolResults.characters / 2;

/** What became of a call. */
export interface MadeCall {
  /** What the visitor's side hears of it; absent if nothing was run. */
  event?: ReplyEvent;
  /** What the model is told. */
  told: string;
  ends?: true;
}

/**
 * Makes the calls of one round, those that the service runs side by side.
 *
 * @param room calls that still fit into the answer.
 * @returns what becomes of each, in their order.
 */
export function makeCalls(
  calls: WrittenCall[],
  request: EngineRequest,
  room: number,
  signal: AbortSignal,
): Promise<MadeCall>[] {
  const made = calls.map((call, place) =>
    place < room
      ? makeCall(call, request, signal)
      : Promise.resolve({ told: `Only ${callLimit} calls fit into one answer. Nothing was run.` }),
  );
  // They are awaited one after the other, and nobody waits for the others once one of them was aborted.
  for (const each of made) each.catch(() => undefined);
  return made;
}

async function makeCall(
  call: WrittenCall,
  { tools, pageTools }: EngineRequest,
  signal: AbortSignal,
): Promise<MadeCall> {
  const tool = tools.find(({ name }) => name === call.name);
  const pageTool = tool ? undefined : pageTools.find(({ name }) => name === call.name);
  const parameters = (tool ?? pageTool)?.parameters;
  if (!parameters) return { told: 'There is no such function. Nothing was run.' };
  const read = readArguments(call, parameters, { limit: argumentsLength, coerce: tool !== undefined });
  if ('told' in read) return read;
  const event = { type: 'function_call', name: call.name, arguments: read.given } as const;
  if (tool) {
    const { result, told = result, ends } = await tool.run(read.given, signal);
    return { event: { ...event, result }, told: JSON.stringify(told), ...(ends && { ends }) };
  }
  return {
    event: { ...event, client: true },
    told:
      "The visitor's page was asked to run this. The result is not known yet: it comes with the visitor's next message. " +
      'Go on without it, and do not claim that it worked.',
  };
}
