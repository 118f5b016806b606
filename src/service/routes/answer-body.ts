import type { SettledAnswer } from '../conversation/store-reply.ts';

/** Builds the response to a message (interface: `POST /conversations/{uuid}/messages`). */
export function answerBody({ text, functionCalls, aiEnabled, ended }: SettledAnswer) {
  return {
    status: true,
    message: text,
    function_calls: functionCalls,
    ai_enabled: aiEnabled,
    ...(ended && { ended }),
  };
}
