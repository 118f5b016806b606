import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, EngineRequest, Passage, ReplyEvent } from '../engine.ts';
import { findSmallTalk } from './small-talk.ts';
import { sentencesFor } from './sentences.ts';

/** Passages that are looked at for one answer. */
const passageLimit = 4;

/**
 * Answers without a language model: it quotes the passage of the knowledge base that fits the question best, and says
 * plainly when there is none. The same question gets the same answer.
 */
export class OfflineEngine implements Engine {
  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    for (const text of (await compose(request)).match(/\S+\s*|\s+/g) ?? []) {
      signal.throwIfAborted();
      yield { type: 'delta', text };
      // Lets the word go out before the next one comes.
      await nextTurn();
    }
  }
}

async function compose(request: EngineRequest): Promise<string> {
  const { assistant, message } = request;
  const sentences = sentencesFor(assistant.language);
  const smallTalk = findSmallTalk(message, assistant.language);
  if (smallTalk) return sentences[smallTalk];
  const passage = await findAnswer(request);
  return passage?.body ?? sentences.nothingFound;
}

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
