import type { ClientTool } from '../../../client/chat-client.ts';
import { clientToolLimits } from '../../../contract/client-tool-limits.ts';
import { countCharacters } from '../../../contract/limits.ts';
import type { PageTool, PageToolParameter } from '../../page-tool.ts';
import { warnOnce } from '../../warn-once.ts';

const { tools: counts, toolName, toolDescription } = clientToolLimits;
/** The maximum length of a title, in characters. Titles are not sent to the service. */
const maxTitleLength = 64;

/** Returns the valid tools by name. Logs a warning for each invalid one, once. */
export function validTools(tools: unknown): ReadonlyMap<string, PageTool> {
  const valid = new Map<string, PageTool>();
  // Not `entries()`: Prototype.js removes it from arrays.
  (Array.isArray(tools) ? (tools as unknown[]) : []).forEach((tool, index) => {
    const fault =
      valid.size === counts.count
        ? `only the first ${counts.count} are offered`
        : (faultOf(tool) ??
          (valid.has((tool as PageTool).name) ? 'there is another one of that name' : undefined));
    if (fault === undefined) valid.set((tool as PageTool).name, tool as PageTool);
    else warnOnce(`tools[${index}] is not offered to the assistant: ${fault}.`);
  });
  return valid;
}

/** Converts tools to the declarations that the service accepts. */
export function declareTools(tools: ReadonlyMap<string, PageTool>): ClientTool[] {
  return [...tools.values()].map(({ name, description, parameters = [] }) => ({
    name,
    description,
    parameters: parameters.map(({ name, type, description, required = false }) => ({
      name,
      type,
      description,
      required,
    })),
  }));
}

function faultOf(tool: unknown): string | undefined {
  if (typeof tool !== 'object' || tool === null) return 'it is not an object';
  const { name, description, parameters = [], title, run } = tool as Partial<Record<keyof PageTool, unknown>>;
  if (!isName(name, toolName.min))
    return `its name has to be ${toolName.min} to ${toolName.max} letters, digits, _ or -`;
  if (!isDescription(description))
    return `its description has to be a text of at most ${toolDescription.max} characters`;
  if (!isTitle(title)) return `its title has to be a text of at most ${maxTitleLength} characters`;
  if (typeof run !== 'function') return 'its run has to be a function';
  if (!Array.isArray(parameters) || parameters.length > counts.parameters)
    return `its parameters have to be a list of at most ${counts.parameters}`;
  if (!(parameters as unknown[]).every(isParameter))
    return 'each parameter needs a name, a description, and a type of string, number or bool; a title has to be a text, required true or false';
  const names = new Set((parameters as PageToolParameter[]).map(({ name }) => name));
  return names.size === parameters.length ? undefined : 'two of its parameters have the same name';
}

function isParameter(parameter: unknown): boolean {
  if (typeof parameter !== 'object' || parameter === null) return false;
  const { name, type, description, title, required } = parameter as Record<string, unknown>;
  const isDescribed = isName(name, 1) && isDescription(description) && isTitle(title);
  return (
    isDescribed &&
    typeof (required ?? true) === 'boolean' &&
    ['string', 'number', 'bool'].includes(String(type))
  );
}

function isName(name: unknown, min: number): boolean {
  return typeof name === 'string' && new RegExp(`^[\\w-]{${min},${toolName.max}}$`).test(name);
}

function isDescription(text: unknown): boolean {
  return typeof text === 'string' && countCharacters(text) <= toolDescription.max;
}

function isTitle(title: unknown): boolean {
  return title === undefined || (typeof title === 'string' && countCharacters(title) <= maxTitleLength);
}
