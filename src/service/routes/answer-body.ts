import type { SettledAnswer } from '../conversation/store-answer.ts';
import { visibleFunctionCall } from '../conversation/visible-function-call.ts';

/** Builds the response to a message (interface: `POST /conversations/{uuid}/messages`). */
export function answerBody({ text, functionCalls, aiEnabled, ended }: SettledAnswer) {
  return {
    status: true,
    message: text,
    function_calls: functionCalls.map(visibleFunctionCall),
    ai_enabled: aiEnabled,
    ...(ended && { ended }),
  };
}
