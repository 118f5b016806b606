import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { Behaviour, ModelServer } from '../servers/model-server.ts';

/** The model's behavior for a question. Its answer can pause between chunks. */
export interface AnswerScript extends Omit<Behaviour, 'pieces' | 'gate'> {
  pieces?: (string | { wait: true })[];
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
    return answers.get(asked)?.behaviour() ?? {};
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
    this.#waits = (script.pieces ?? [])
      .filter((piece) => typeof piece !== 'string')
      .map(() => Promise.withResolvers());
  }

  behaviour(): Behaviour {
    const { pieces, ...rest } = this.#script;
    if (!pieces) return rest;
    const waits = this.#waits.values();
    return {
      ...rest,
      pieces: pieces.map((piece) =>
        typeof piece === 'string' ? piece : (waits.next().value?.promise ?? ''),
      ),
    };
  }

  resume(): void {
    this.#waits[this.#next++]?.resolve('');
  }
}
