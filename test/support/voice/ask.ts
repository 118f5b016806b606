import type { WatchedCall } from './call-service.ts';
import type { Recording } from './recording.ts';
import { eventually } from '../eventually.ts';
import type { VisitorPage } from './visitor-page.ts';
import { wordErrors, words } from './word-errors.ts';

const completed = 'conversation.item.input_audio_transcription.completed';

/**
 * Asks a question until most of its words are understood, at most three times: a busy machine garbles the audio of its
 * browser. Returns the words as the page shows them.
 */
export async function ask(
  visitor: VisitorPage,
  call: WatchedCall | undefined,
  question: Recording,
): Promise<string> {
  for (let attempts = 1; ; attempts++) {
    const { start } = await visitor.say(question);
    const { transcript } = await eventually('the transcript', () => call?.sent(completed, start)[0]);
    const text = String(transcript);
    if (wordErrors(question.text, text) <= words(question.text).length / 4) {
      return eventually('the transcript in the page', async () =>
        (await visitor.messages()).findLast((message) => message === `user: ${text}`),
      );
    }
    if (attempts === 3) throw new Error(`"${question.text}" was understood as "${text}".`);
    await eventually('the answer', () => call?.sent('output_audio_buffer.started', start)[0]);
    await visitor.page.keyboard.press('Escape');
    await visitor.until('listening');
  }
}
