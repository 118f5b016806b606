import type { EngineRequest } from '../engine.ts';

/** The statuses of such a refusal. llama.cpp responds with 500, OpenRouter with 404. */
const statuses: readonly unknown[] = [400, 404, 422, 500];

/** Texts such as “does not support tools”, “unsupported parameter: 'tools'”. */
const refusedObject =
  /\b(?:support|unsupported parameter:|argument supplied:)\W+(?:tools|tool (?:use|call)|function[ -]call)/i;

/** Texts such as “tool calling is not supported”, “"auto" tool choice requires …”. */
const refusedSubject =
  /\b(?:tools|tools? (?:use|calling|choice|param)|function[ -]calling)\W+(?:requires|(?:(?:is|are) )?not (?:supported|enabled)|is unsupported)\b/i;

/** The place of one tool: `tools[0].function.name`, `'tools', 0`. What follows may quote an owner's texts. */
const place = /\btools\W+\d/i;

/** Whether an endpoint's error says that its model, or the endpoint, does not support function calling. */
export const isToolRefusal = (status: unknown, message: string): boolean =>
  statuses.includes(status) &&
  (refusedObject.test(message) || refusedSubject.test(message)) &&
  !place.test(message);

/** What the operator should know about a model without function calling. */
export const describeToolRefusal = (model: string): string =>
  `The model ${model} has no function calling: assistants answer without their tools. Matching passages of the ` +
  'knowledge base are in the prompt.';

/** A model has refused a request for its tools. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

/** The same request for a model without function calling: the prompt contains what it would search for. */
export const withoutTools = (request: EngineRequest): EngineRequest => ({
  ...request,
  tools: [],
  pageTools: [],
  includesPassages: true,
});
