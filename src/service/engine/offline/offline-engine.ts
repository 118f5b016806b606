import { nameInWords } from '../../../contract/name-in-words.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Engine,
  EngineRequest,
  EngineTool,
  Evaluation,
  EvaluationRequest,
  PageTool,
  Passage,
  ReplyEvent,
} from '../engine.ts';
import { searchToolName } from '../engine.ts';
import { evaluateByWords } from './evaluate-by-words.ts';
import { findCall } from './find-call.ts';
import type { FoundCall } from './find-call.ts';
import { valueInWords } from './in-words.ts';
import { findSmallTalk } from './small-talk.ts';
import { sentencesFor } from './sentences.ts';
import type { Sentences } from './sentences.ts';

/** Passages that one search returns at most. */
const passageLimit = 10;

/** Longest result of a tool that is quoted, in UTF-16 code units. */
const quotedLength = 2000;

/**
 * Answers without a language model: it quotes the passage of the knowledge base that fits the question best with where
 * it stands, and says plainly when there is none. It calls a tool of the assistant's, or asks for one of the page, when the message names
 * it, and tells what came of it; a goodbye ends the conversation where the assistant may do that. The same question gets
 * the same answer.
 */
export class OfflineEngine implements Engine {
  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    const own = findOwnCall(request);
    const call = own ?? findCall(request.message, request.pageTools);
    let outcome: string | undefined;
    if (call?.missing.length === 0) {
      const event = { type: 'function_call', name: call.tool.name, arguments: call.arguments } as const;
      if (own) {
        const { result, ends } = await own.tool.run(own.arguments, signal);
        outcome = tellOutcome(own.tool.name, result, ends, sentencesFor(request.assistant.language));
        yield { ...event, result };
      } else yield { ...event, client: true };
    }
    const known = call || request.isSilence === true ? undefined : await findAnswer(request);
    if (known && searchesByTool(request)) {
      const { document, heading } = known.passage;
      const result = { passages: [{ document, heading }] };
      yield { type: 'function_call', name: searchToolName, arguments: { query: known.query }, result };
    }
    for (const text of compose(request, call, outcome, known).match(/\S+\s*|\s+/g) ?? []) {
      signal.throwIfAborted();
      yield { type: 'delta', text };
      // Lets the word go out before the next one comes.
      await nextTurn();
    }
  }

  evaluate(request: EvaluationRequest): Promise<Evaluation> {
    return Promise.resolve(evaluateByWords(request));
  }
}

/** A call that the message asks for by name, or by taking its leave. */
function findOwnCall({ message, tools, assistant }: EngineRequest): FoundCall<EngineTool> | undefined {
  const named = findCall(
    message,
    tools.filter(({ forModels }) => forModels !== true),
  );
  if (named || findSmallTalk(message, assistant.language) !== 'goodbye') return named;
  const tool = tools.find(({ name }) => name === 'end_call');
  return tool && { tool, arguments: {}, missing: [] };
}

function tellOutcome(name: string, result: unknown, ends: boolean | undefined, sentences: Sentences): string {
  if (ends) return name === 'end_call' ? sentences.goodbye : sentences.handedOver;
  return tellResult(sentences.called, name, result, sentences);
}

/** That it ran, and what it returned, if it returned anything. */
function tellResult(sentence: string, name: string, result: unknown, { returned }: Sentences): string {
  const told = fill(sentence, { name: nameInWords(name) });
  if (result === undefined || result === null || result === '') return told;
  const quoted = typeof result === 'string' ? result : valueInWords(result);
  return `${told} ${fill(returned, { result: quoted.slice(0, quotedLength) })}`;
}

/** A passage, and the question that it was found by. */
interface Known {
  query: string;
  passage: Passage;
}

/** Whether the assistant's knowledge base is a tool, whose use shows among the function calls. */
const searchesByTool = ({ tools }: EngineRequest) =>
  tools.some(({ name, forModels }) => name === searchToolName && forModels === true);

function compose(
  request: EngineRequest,
  call: FoundCall<PageTool> | undefined,
  outcome: string | undefined,
  known: Known | undefined,
): string {
  const { assistant, toolResults } = request;
  const sentences = sentencesFor(assistant.language);
  if (request.isSilence === true) return sentences.stillThere;
  const returned = toolResults.map(({ name, result }) => tellResult(sentences.ran, name, result, sentences));
  const answer = outcome ?? (call ? tellOf(call, sentences) : findWords(request, known, sentences));
  // Whoever hears what the page did need not hear that the knowledge base has nothing on “And?”.
  const parts =
    answer === undefined && returned.length > 0 ? returned : [...returned, answer ?? sentences.nothingFound];
  return parts.join('\n\n');
}

function tellOf({ tool, missing }: FoundCall<PageTool>, sentences: Sentences): string {
  const name = nameInWords(tool.name);
  if (missing.length === 0) return fill(sentences.asked, { name });
  return fill('run' in tool ? sentences.callIncomplete : sentences.incomplete, {
    name,
    parameters: missing.map((each) => nameInWords(each).toLowerCase()).join(', '),
  });
}

function findWords(
  { message, assistant, isSpoken }: EngineRequest,
  known: Known | undefined,
  sentences: Sentences,
): string | undefined {
  const smallTalk = findSmallTalk(message, assistant.language);
  if (smallTalk) return sentences[smallTalk];
  if (!known || isSpoken === true) return known?.passage.body;
  const { document, heading, body } = known.passage;
  const source = heading === document ? document : `${document} – ${heading}`;
  return `${body}\n\n${fill(sentences.source, { source })}`;
}

/** In one pass: a value that looks like a placeholder stays as it is. */
const fill = (sentence: string, values: Record<string, string>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

async function findAnswer({
  assistant,
  findPassages,
  history,
  message,
}: EngineRequest): Promise<Known | undefined> {
  if (findSmallTalk(message, assistant.language)) return undefined;
  const direct = await findPassages(message, passageLimit);
  const best = direct.find(({ fits }) => fits);
  if (best) return { query: message, passage: best };
  // "And on Saturdays?" only makes sense with the question before it. Its own words have to be in the passage, too.
  const before = history.findLast((line) => line.role === 'user');
  if (!before || message.length > followUpLength || direct.length === 0) return undefined;
  const query = `${before.content} ${message}`;
  const passage = (await findPassages(query, passageLimit)).find(({ fits }) => fits);
  return passage && direct.some((own) => isSame(own, passage)) ? { query, passage } : undefined;
}

const isSame = (one: Passage, other: Passage) =>
  one.document === other.document && one.heading === other.heading && one.body === other.body;

/** A longer message stands for itself. In UTF-16 code units. */
const followUpLength = 40;
