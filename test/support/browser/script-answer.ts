import { executeServerCommand } from '@web/test-runner-commands';
import type { AnswerScript, ModelCommands } from './model-commands.ts';

/** An answer that a test has scripted. */
export interface ScriptedAnswer {
  /** The question to ask, unique among tests, engines and files. */
  readonly question: string;
  /** Continues a paused answer up to the next pause or its end. */
  resume(): Promise<void>;
  /** Replaces the answer from now on. */
  change(script: AnswerScript): Promise<void>;
}

/**
 * Scripts the answer of `modelService`'s language model to a question:
 *
 *     const answer = await scriptAnswer({ chunks: ['Yes, ', wait, 'we do.'] });
 *     await chat.ask(answer.question);
 *     // The chat shows "Yes, " and is still being answered.
 *     await answer.resume();
 */
export async function scriptAnswer(script: AnswerScript, question = 'Is it true?'): Promise<ScriptedAnswer> {
  const unique = `${question} (${crypto.randomUUID().slice(0, 8)})`;
  const command = <Name extends keyof ModelCommands>(name: Name, payload: ModelCommands[Name]) =>
    executeServerCommand<unknown, ModelCommands[Name]>(name, payload);
  await command('model:script', { question: unique, script });
  return {
    question: unique,
    async resume() {
      await command('model:resume', { question: unique });
    },
    async change(next) {
      await command('model:script', { question: unique, script: next });
    },
  };
}

/** In `chunks`, pauses the answer until `resume`. */
export const wait = { wait: true } as const;
