import type { EngineRequest } from '../engine.ts';

/**
 * Whether an endpoint's error says that its model, or the endpoint, does not support function calling. An error about one
 * tool, such as `tools[0].function.name`, does not say so.
 */
export const isToolRefusal = (message: string): boolean =>
  /\b(?:tools?|function calling)\b/i.test(message) &&
  /\b(?:support|supported|unsupported|enabled|requires|unrecognized)\b/i.test(message) &&
  !/\btools[[.]/i.test(message);

/** What the operator should know about a model without function calling. */
export const describeToolRefusal = (model: string): string =>
  `The model "${model}" has no function calling: assistants answer without their tools. Matching passages of the ` +
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
