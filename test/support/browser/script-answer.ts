import { executeServerCommand } from '@web/test-runner-commands';
import type { AnswerScript, ModelCommands } from './model-commands.ts';

/** An answer that a test has scripted. */
export interface ScriptedAnswer {
  /** The question that gets it. No other test, engine or file asks the same. */
  readonly question: string;
  /** Lets the answer go on from where it waits to the next such place, or to its end. */
  goOn(): Promise<void>;
  /** The question gets this answer from now on. */
  change(script: AnswerScript): Promise<void>;
}

/**
 * Tells the language model behind `modelService` what to answer to a question:
 *
 *     const answer = await scriptAnswer({ pieces: ['Yes, ', wait, 'we do.'] });
 *     await chat.ask(answer.question);
 *     // The chat shows "Yes, " and is still being answered.
 *     await answer.goOn();
 */
export async function scriptAnswer(script: AnswerScript, question = 'Is it true?'): Promise<ScriptedAnswer> {
  const unique = `${question} (${crypto.randomUUID().slice(0, 8)})`;
  const command = <Name extends keyof ModelCommands>(name: Name, payload: ModelCommands[Name]) =>
    executeServerCommand<unknown, ModelCommands[Name]>(name, payload);
  await command('model:script', { question: unique, script });
  return {
    question: unique,
    async goOn() {
      await command('model:go-on', { question: unique });
    },
    async change(next) {
      await command('model:script', { question: unique, script: next });
    },
  };
}

/** Stands among the pieces of an answer where it shall stop until `goOn`. */
export const wait = { wait: true } as const;
