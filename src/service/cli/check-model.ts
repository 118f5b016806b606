import { searchToolName } from '../engine/engine.ts';
import { describeToolRefusal, isToolRefusal } from '../engine/openai/function-calling.ts';
import { toOpenAiTools } from '../engine/openai/tool-calls.ts';
import { CommandError } from './command.ts';

/** Time limit of the test request in milliseconds; a local server may have to load its model first. */
const timeoutMs = 120_000;

/** A function like that of an assistant with a knowledge base. */
const tools = toOpenAiTools([
  {
    name: searchToolName,
    description: 'Searches the knowledge base.',
    parameters: [{ name: 'query', type: 'string', description: 'What to find.', required: true }],
  },
]);

/** A language model as in the settings. */
export interface ModelSettings {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
}

/**
 * Sends a short message to a language model, with a function, and again without if it refuses that.
 *
 * @returns a sentence about what it cannot do; undefined if there is nothing.
 * @throws CommandError with the reason if it does not answer.
 */
export async function checkModel(settings: ModelSettings, hasTools = true): Promise<string | undefined> {
  const { baseUrl, apiKey, model } = settings;
  const address = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const fail = (problem: string, cause?: unknown) =>
    new CommandError(`The model cannot be used: ${problem} Nothing was stored.`, { cause });
  let response: Response;
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'Say hello.' }],
        ...(hasTools && { tools, tool_choice: 'auto' }),
      }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw fail(`${address} does not respond (${code ?? message}).`, error);
  }
  const body = await response.text();
  if (hasTools && isToolRefusal(response.status, body)) {
    await checkModel(settings, false);
    return describeToolRefusal(`"${model}"`);
  }
  if (response.status === 401 || response.status === 403) {
    throw fail(`the endpoint refuses the key (${response.status}). Check the key (--model-key).`);
  }
  if (response.status === 404) {
    throw fail(
      `${address} responded with 404. Check --model-url, which often ends in /v1, and the name of the model, "${model}".`,
    );
  }
  if (response.status === 429) {
    throw fail(`${address} responded with 429. The rate limit or the quota of its account is used up.`);
  }
  if (!response.ok) throw fail(`${address} responded with ${response.status}.`);
  if (!body.includes('"choices"')) throw fail(`${address} is not an OpenAI-compatible endpoint.`);
  return undefined;
}
