import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { Behavior, ModelServer } from '../servers/model-server.ts';

/** The model's behavior for a question. Its answer can pause between chunks. */
export interface AnswerScript extends Omit<Behavior, 'chunks' | 'gate'> {
  chunks?: (string | { wait: true })[];
}

/** Commands of a test to the language model; the functions in `script-answer.ts` send them. */
export interface ModelCommands {
  'model:script': { question: string; script: AnswerScript };
  'model:resume': { question: string };
}

/** Lets browser tests script the model's answer to a question. */
export function modelCommands(model: ModelServer): TestRunnerPlugin {
  const answers = new Map<string, HeldAnswer>();
  model.behave(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    return answers.get(asked)?.behavior() ?? {};
  });
  const commands: { [Name in keyof ModelCommands]: (payload: ModelCommands[Name]) => void } = {
    'model:script': ({ question, script }) => answers.set(question, new HeldAnswer(script)),
    'model:resume': ({ question }) => answers.get(question)?.resume(),
  };
  return {
    name: 'model-commands',
    executeCommand({ command, payload }) {
      if (!(command in commands)) return undefined;
      commands[command as keyof ModelCommands](payload as never);
      return true;
    },
  };
}

/** An answer whose pauses end one by one. A pause can be ended before the answer reaches it. */
class HeldAnswer {
  readonly #script: AnswerScript;
  readonly #waits: PromiseWithResolvers<string>[];
  #next = 0;

  constructor(script: AnswerScript) {
    this.#script = script;
    this.#waits = (script.chunks ?? [])
      .filter((chunk) => typeof chunk !== 'string')
      .map(() => Promise.withResolvers());
  }

  behavior(): Behavior {
    const { chunks, ...rest } = this.#script;
    if (!chunks) return rest;
    const waits = this.#waits.values();
    return {
      ...rest,
      chunks: chunks.map((chunk) =>
        typeof chunk === 'string' ? chunk : (waits.next().value?.promise ?? ''),
      ),
    };
  }

  resume(): void {
    this.#waits[this.#next++]?.resolve('');
  }
}
