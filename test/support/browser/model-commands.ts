import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { Behaviour, ModelServer } from '../servers/model-server.ts';

/** What the model shall do with a question. The pieces of its answer may have places to wait at. */
export interface AnswerScript extends Omit<Behaviour, 'pieces' | 'gate'> {
  pieces?: (string | { wait: true })[];
}

/** What a browser test can tell the language model; `script-answer.ts` has the functions that send these. */
export interface ModelCommands {
  'model:script': { question: string; script: AnswerScript };
  'model:go-on': { question: string };
}

/** Lets browser tests say what the language model answers to which question. */
export function modelCommands(model: ModelServer): TestRunnerPlugin {
  const answers = new Map<string, HeldAnswer>();
  model.behave(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    return answers.get(asked)?.behaviour() ?? {};
  });
  const commands: { [Name in keyof ModelCommands]: (payload: ModelCommands[Name]) => void } = {
    'model:script': ({ question, script }) => answers.set(question, new HeldAnswer(script)),
    'model:go-on': ({ question }) => answers.get(question)?.goOn(),
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

/** An answer whose waits end one by one, also those that it has not come to yet. */
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

  goOn(): void {
    this.#waits[this.#next++]?.resolve('');
  }
}
