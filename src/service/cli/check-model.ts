import { searchToolName } from '../engine/engine.ts';
import { describeToolRefusal, isToolRefusal } from '../engine/openai/function-calling.ts';
import { isTemporary } from '../engine/openai/is-temporary.ts';
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

/** A model did not answer its test. */
export class ModelTestError extends CommandError {
  readonly problem: string;
  /** Whether it may answer later although nobody corrects anything. */
  readonly isTemporary: boolean;

  constructor(problem: string, isTemporary: boolean, options?: ErrorOptions) {
    super(`The model cannot be used: ${problem} Nothing was stored.`, options);
    this.problem = problem;
    this.isTemporary = isTemporary;
  }
}

/** Where the settings of a model are entered. */
const options = { address: '--model-url', key: '--model-key' };

/**
 * Sends a short message to a language model, with a function, and again without if it refuses that.
 *
 * @param names where the operator corrects the settings.
 * @returns a sentence about what it cannot do; undefined if there is nothing.
 * @throws ModelTestError with the reason if it does not answer.
 */
export async function checkModel(
  settings: ModelSettings,
  names = options,
  hasTools = true,
): Promise<string | undefined> {
  const { baseUrl, apiKey, model } = settings;
  const address = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  let response: Response;
  let body: string;
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
    body = await response.text();
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new ModelTestError(`${address} does not respond (${code ?? message}).`, isTemporary(undefined), {
      cause: error,
    });
  }
  const { status } = response;
  const fail = (problem: string) =>
    new ModelTestError(problem, isTemporary(status, /insufficient_quota/.exec(body)?.[0]));
  if (hasTools && isToolRefusal(status, body)) {
    await checkModel(settings, names, false);
    return describeToolRefusal(`"${model}"`);
  }
  if (status === 401 || status === 403) {
    throw fail(`the endpoint refuses the key (${status}). Check the key (${names.key}).`);
  }
  if (status === 404) {
    throw fail(
      `${address} responded with 404. Check ${names.address}, which often ends in /v1, and the name of the model, "${model}".`,
    );
  }
  if (status === 429) {
    throw fail(`${address} responded with 429. The rate limit or the quota of its account is used up.`);
  }
  if (!response.ok) throw fail(`${address} responded with ${status}.`);
  if (!body.includes('"choices"')) throw fail(`${address} is not an OpenAI-compatible endpoint.`);
  return undefined;
}
