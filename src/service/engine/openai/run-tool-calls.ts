import { clientToolLimits } from '../../../contract/client-tool-limits.ts';
import type { EngineRequest, ReplyEvent } from '../engine.ts';
import { parseArguments } from './tool-calls.ts';
import type { ToolCall } from './tool-calls.ts';

/** Most calls in one answer: the page's next message has room for as many results. */
export const callLimit = clientToolLimits.toolResults.count;

/** Longest arguments of a call, in characters of JSON: the page sends its result beside them. */
const argumentsLimit = clientToolLimits.toolResults.characters / 2;

/** Milliseconds for which an answer that has failed waits for tools that still run. */
const failurePatience = 2000;

/** The outcome of a tool call. */
export interface ToolCallOutcome {
  /** Id of the call. */
  id: string;
  /** Absent if nothing was run. */
  event?: Extract<ReplyEvent, { type: 'function_call' }>;
  /** Content of the `tool` message for the model. */
  message: string;
  ends?: true;
}

/**
 * Runs the calls of one response concurrently, and yields their outcomes in order. If one rejects, those of the other
 * tools are still yielded if they end within two seconds, since they have run. The page is not asked to run anything after
 * that.
 *
 * @param room calls that still fit into the answer.
 * @throws the first rejection, after the outcomes.
 */
export async function* runToolCalls(
  calls: ToolCall[],
  request: Pick<EngineRequest, 'tools' | 'pageTools'>,
  room: number,
  signal: AbortSignal,
): AsyncGenerator<ToolCallOutcome, undefined> {
  const outcomes = calls.map(async (call, index) => ({
    id: call.id,
    ...(index < room
      ? await runToolCall(call, request, signal)
      : { message: `Only ${callLimit} calls fit into one answer. Nothing was run.` }),
  }));
  const isTooLate = new Promise<undefined>((resolve) => {
    Promise.all(outcomes).catch(() => setTimeout(resolve, failurePatience, undefined).unref());
  });
  const settled = outcomes.map((each) => each.catch(() => undefined));
  let hasFailed = false;
  for (const each of settled) {
    const outcome = await Promise.race([each, isTooLate]);
    hasFailed ||= !outcome;
    if (outcome && !(hasFailed && outcome.event?.client)) yield outcome;
  }
  await Promise.all(outcomes);
}

async function runToolCall(
  call: ToolCall,
  { tools, pageTools }: Pick<EngineRequest, 'tools' | 'pageTools'>,
  signal: AbortSignal,
): Promise<Omit<ToolCallOutcome, 'id'>> {
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
