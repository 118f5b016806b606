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
import { asksForPerson } from './asks-for-person.ts';
import { evaluateByKeywords } from './evaluate-by-keywords.ts';
import { findNamedTool } from './find-named-tool.ts';
import type { NamedTool } from './find-named-tool.ts';
import { formatValue } from './format-value.ts';
import { findSmallTalk } from './small-talk.ts';
import { sentencesFor } from './sentences.ts';
import { spokenExcerpt } from './spoken-excerpt.ts';
import { joinReferences, splitClauses } from './split-clauses.ts';
import type { Sentences } from './sentences.ts';

/** Most passages of a search among which the ones to quote are chosen. */
const candidateLimit = 10;

/** Longest quoted tool result, in UTF-16 code units. */
const resultLimit = 2000;

/**
 * Answers without a language model: quotes the passage of the knowledge base that answers each question best, with its
 * source, or says that there is none. Calls a tool when the message names it, and ends the conversation on a goodbye if
 * the assistant may. The same question gets the same answer.
 */
export class OfflineEngine implements Engine {
  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    const serviceTool = findServiceTool(request);
    const call = serviceTool ?? findNamedTool(request.message, request.pageTools);
    let outcome: string | undefined;
    if (call?.missing.length === 0) {
      const event = { type: 'function_call', name: call.tool.name, arguments: call.arguments } as const;
      if (serviceTool) {
        const { name, isPrivate } = serviceTool.tool;
        const { result, ends } = await serviceTool.tool.run(serviceTool.arguments, signal);
        outcome = describeOutcome(
          name,
          isPrivate ? null : result,
          ends,
          sentencesFor(request.assistant.language),
        );
        yield { ...event, result, ...(isPrivate && { private: true }) };
      } else yield { ...event, client: true };
    }
    const answer = call || request.isSilence === true ? undefined : await findAnswer(request);
    if (answer && searchesByTool(request)) {
      const result = { passages: answer.passages.map(({ document, heading }) => ({ document, heading })) };
      yield { type: 'function_call', name: searchToolName, arguments: { query: answer.query }, result };
    }
    for (const text of compose(request, call, outcome, answer).match(/\S+\s*|\s+/g) ?? []) {
      signal.throwIfAborted();
      yield { type: 'delta', text };
      // Lets the word be sent before the next one.
      await nextTurn();
    }
  }

  evaluate(request: EvaluationRequest): Promise<Evaluation> {
    return Promise.resolve(evaluateByKeywords(request));
  }
}

/** The service's tool that the message requests by name, by saying goodbye, or by asking for a person. */
function findServiceTool({ message, tools, assistant }: EngineRequest): NamedTool<EngineTool> | undefined {
  const named = findNamedTool(
    message,
    tools.filter(({ forModels }) => forModels !== true),
  );
  if (named) return named;
  const wanted = asksForPerson(message, assistant.language)
    ? 'call_transfer'
    : findSmallTalk(message, assistant.language) === 'goodbye'
      ? 'end_call'
      : undefined;
  // With several numbers to choose from, only a model can call it.
  const tool = tools.find(({ name, parameters }) => name === wanted && parameters.length === 0);
  return tool && { tool, arguments: {}, missing: [] };
}

function describeOutcome(
  name: string,
  result: unknown,
  ends: boolean | undefined,
  sentences: Sentences,
): string {
  if (ends) return name === 'end_call' ? sentences.goodbye : sentences.handedOver;
  return describeResult(sentences.called, name, result, sentences);
}

/** Says that a tool ran, with its result if there is one. */
function describeResult(sentence: string, name: string, result: unknown, { returned }: Sentences): string {
  const statement = fill(sentence, { name: nameInWords(name) });
  if (result === undefined || result === null || result === '') return statement;
  const quoted = typeof result === 'string' ? result : formatValue(result);
  return `${statement} ${fill(returned, { result: quoted.slice(0, resultLimit) })}`;
}

/** The passages that answer a message, one for each question in it, with the query that found them. */
interface Answer {
  query: string;
  passages: Passage[];
}

/** Whether searches of the knowledge base show among the function calls. */
const searchesByTool = ({ tools }: EngineRequest) =>
  tools.some(({ name, forModels }) => name === searchToolName && forModels === true);

function compose(
  request: EngineRequest,
  call: NamedTool<PageTool> | undefined,
  outcome: string | undefined,
  known: Answer | undefined,
): string {
  const { assistant, toolResults } = request;
  const sentences = sentencesFor(assistant.language);
  if (request.isSilence === true) return sentences.stillThere;
  const returned = toolResults.map(({ name, result }) =>
    describeResult(sentences.ran, name, result, sentences),
  );
  const answer = outcome ?? (call ? describeRequest(call, sentences) : findReply(request, known, sentences));
  // With page results to report, a failed search of the knowledge base is not worth mentioning.
  const { nothingFound, noModel } = sentences;
  const fallback = request.isSpoken === true ? nothingFound : `${nothingFound} ${noModel}`;
  const parts = answer === undefined && returned.length > 0 ? returned : [...returned, answer ?? fallback];
  return parts.join('\n\n');
}

function describeRequest({ tool, missing }: NamedTool<PageTool>, sentences: Sentences): string {
  const name = nameInWords(tool.name);
  if (missing.length === 0) return fill(sentences.asked, { name });
  return fill('run' in tool ? sentences.callIncomplete : sentences.incomplete, {
    name,
    parameters: missing.map((each) => nameInWords(each).toLowerCase()).join(', '),
  });
}

function findReply(
  { message, assistant, isSpoken }: EngineRequest,
  known: Answer | undefined,
  sentences: Sentences,
): string | undefined {
  const smallTalk = findSmallTalk(message, assistant.language);
  if (smallTalk) return sentences[smallTalk];
  return known?.passages
    .map(({ document, heading, body }) => {
      if (isSpoken === true) return spokenExcerpt(body, message);
      const source = heading === document ? document : `${document} – ${heading}`;
      return `${body}\n\n${fill(sentences.source, { source })}`;
    })
    .join('\n\n');
}

/** Fills in one pass, so values that look like placeholders stay as they are. */
const fill = (sentence: string, values: Record<string, string>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

async function findAnswer({
  assistant,
  findPassages,
  history,
  isSpoken,
  message,
}: EngineRequest): Promise<Answer | undefined> {
  if (findSmallTalk(message, assistant.language)) return undefined;
  const direct = await findPassages(message, candidateLimit);
  const clauses = splitClauses(message, assistant.language);
  const questions = joinReferences(clauses, assistant.language);
  const answers = await findEach(questions, findPassages);
  if (answers.length > 1) return { query: message, passages: answers };
  const best = findBest(direct);
  if (best.length > 0) return { query: message, passages: isSpoken === true ? best.slice(0, 1) : best };
  // "I bought a tent and want to return it": the request is often at the end.
  const last = (await findEach(clauses, findPassages)).at(-1);
  if (last) return { query: message, passages: [last] };
  // "And on Saturdays?" needs the question before it. Its own words have to occur in the passage, too.
  const before = history.findLast((line) => line.role === 'user');
  if (!before || message.length > followUpLimit || direct.length === 0) return undefined;
  const query = `${before.content} ${message}`;
  const [passage] = findBest(await findPassages(query, candidateLimit));
  return passage && direct.some((own) => isSamePassage(own, passage))
    ? { query, passages: [passage] }
    : undefined;
}

/** Finds the best passage for each of several questions, if it is relevant. */
async function findEach(
  questions: readonly string[],
  findPassages: EngineRequest['findPassages'],
): Promise<Passage[]> {
  const found: Passage[] = [];
  for (const question of questions.length > 1 ? questions : []) {
    const [best] = findBest(await findPassages(question, candidateLimit));
    if (best && !found.some((passage) => isSamePassage(passage, best))) found.push(best);
  }
  return found;
}

/** Share of the best match's score that an answer needs: a passage that is much worse is about something else. */
const minShare = 0.75;

/** Share of the answer's score with which the next passage is quoted, too: words cannot tell which one is asked for. */
const tieShare = 0.9;

/** The passage that answers a question, and the next one if it matches about as well. */
function findBest(found: readonly Passage[]): Passage[] {
  const relevant = found.filter(
    ({ isRelevant, score }) => isRelevant && score >= minShare * (found[0]?.score ?? 0),
  );
  return relevant.slice(0, 2).filter(({ score }) => score >= tieShare * (relevant[0]?.score ?? 0));
}

const isSamePassage = (one: Passage, other: Passage) =>
  one.document === other.document && one.heading === other.heading && one.body === other.body;

/** Longest follow-up, in UTF-16 code units; longer messages need no context. */
const followUpLimit = 40;
