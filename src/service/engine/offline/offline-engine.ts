import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, EngineRequest, Evaluation, EvaluationRequest, Passage, ReplyEvent } from '../engine.ts';
import { evaluateByWords } from './evaluate-by-words.ts';
import { findPageCall } from './find-page-call.ts';
import type { FoundCall } from './find-page-call.ts';
import { findSmallTalk } from './small-talk.ts';
import { sentencesFor } from './sentences.ts';
import type { Sentences } from './sentences.ts';

/** Passages that are looked at for one answer. */
const passageLimit = 4;

/**
 * Answers without a language model: it quotes the passage of the knowledge base that fits the question best, and says
 * plainly when there is none. It asks for a tool of the page when the message names one, and tells what came of it.
 * The same question gets the same answer.
 */
export class OfflineEngine implements Engine {
  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    const call = findPageCall(request.message, request.pageTools);
    if (call?.missing.length === 0) {
      yield { type: 'function_call', name: call.tool.name, arguments: call.arguments, client: true };
    }
    for (const text of (await compose(request, call)).match(/\S+\s*|\s+/g) ?? []) {
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

async function compose(request: EngineRequest, call: FoundCall | undefined): Promise<string> {
  const { assistant, toolResults } = request;
  const sentences = sentencesFor(assistant.language);
  const returned = toolResults.map(({ name, result }) =>
    fill(sentences.returned, {
      name,
      result: typeof result === 'string' ? result : JSON.stringify(result ?? null),
    }),
  );
  const answer = call ? tellOf(call, sentences) : await findWords(request, sentences);
  // Whoever hears what the page did need not hear that the knowledge base has nothing on “And?”.
  const parts =
    answer === undefined && returned.length > 0 ? returned : [...returned, answer ?? sentences.nothingFound];
  return parts.join('\n\n');
}

function tellOf({ tool: { name }, missing }: FoundCall, sentences: Sentences): string {
  if (missing.length === 0) return fill(sentences.asked, { name });
  return fill(sentences.incomplete, { name, parameters: missing.join(', ') });
}

async function findWords(request: EngineRequest, sentences: Sentences): Promise<string | undefined> {
  const smallTalk = findSmallTalk(request.message, request.assistant.language);
  return smallTalk ? sentences[smallTalk] : (await findAnswer(request))?.body;
}

/** In one pass: a value that looks like a placeholder stays as it is. */
const fill = (sentence: string, values: Record<string, string>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

async function findAnswer({ findPassages, history, message }: EngineRequest): Promise<Passage | undefined> {
  const found = (await findPassages(message, passageLimit)).find(({ fits }) => fits);
  if (found) return found;
  // "And on Saturdays?" makes sense only with the question before it.
  const before = history.findLast((line) => line.role === 'user');
  if (!before || message.length > followUpLength) return undefined;
  return (await findPassages(`${before.content} ${message}`, passageLimit)).find(({ fits }) => fits);
}

/** A longer message stands for itself. In UTF-16 code units. */
const followUpLength = 40;
