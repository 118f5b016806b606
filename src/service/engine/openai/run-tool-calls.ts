import { toolLimits } from '../../../contract/limits.ts';
import type { EngineRequest, ReplyEvent } from '../engine.ts';
import { parseArguments } from './tool-calls.ts';
import type { ToolCall } from './tool-calls.ts';

/** Most calls in one answer: the page's next message has room for as many results. */
export const callLimit = toolLimits.toolResults.count;

/** Longest arguments of a call, in characters of JSON: the page sends its result beside them. */
const argumentsLimit = toolLimits.toolResults.characters / 2;

/** The outcome of a tool call. */
export interface ToolCallOutcome {
  /** Absent if nothing was run. */
  event?: ReplyEvent;
  /** Content of the `tool` message for the model. */
  message: string;
  ends?: true;
}

/**
 * Runs the calls of one response concurrently.
 *
 * @param room calls that still fit into the answer.
 * @returns the outcome of each call, in order.
 */
export function runToolCalls(
  calls: ToolCall[],
  request: Pick<EngineRequest, 'tools' | 'pageTools'>,
  room: number,
  signal: AbortSignal,
): Promise<ToolCallOutcome>[] {
  const outcomes = calls.map((call, index) =>
    index < room
      ? runToolCall(call, request, signal)
      : Promise.resolve({ message: `Only ${callLimit} calls fit into one answer. Nothing was run.` }),
  );
  // The caller awaits them in order and stops at the first rejection; the others must not be unhandled.
  for (const each of outcomes) each.catch(() => undefined);
  return outcomes;
}

async function runToolCall(
  call: ToolCall,
  { tools, pageTools }: Pick<EngineRequest, 'tools' | 'pageTools'>,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const tool = tools.find(({ name }) => name === call.name);
  const pageTool = tool ? undefined : pageTools.find(({ name }) => name === call.name);
  const parameters = (tool ?? pageTool)?.parameters;
  if (!parameters) return { message: 'There is no such function. Nothing was run.' };
  const parsed = parseArguments(call, parameters, { limit: argumentsLimit, coerce: tool !== undefined });
  if ('error' in parsed) return { message: parsed.error };
  const event = { type: 'function_call', name: call.name, arguments: parsed.values } as const;
  if (tool) {
    const { result, modelResult = result, ends } = await tool.run(parsed.values, signal);
    const marked = { ...event, result, ...(tool.isPrivate && { private: true as const }) };
    return { event: marked, message: JSON.stringify(modelResult), ...(ends && { ends }) };
  }
  return {
    event: { ...event, client: true },
    message:
      "The visitor's page was asked to run this. The result is not known yet: it comes with the visitor's next message. " +
      'Go on without it, and do not claim that it worked.',
  };
}
