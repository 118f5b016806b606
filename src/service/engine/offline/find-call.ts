import type { PageTool } from '../engine.ts';

/** A tool that a message names, with what the message gives it. */
export interface FoundCall<Tool extends PageTool> {
  tool: Tool;
  arguments: Record<string, unknown>;
  /** Names of the parameters that it needs and the message does not hold. */
  missing: string[];
}

/**
 * Finds the first tool that a message names: `show_product` is also named by “show product” and “show-product”, a name
 * of one word only at the beginning. Its
 * parameters take, in their order, the strings in quotation marks, the numbers outside of them, and the words yes, no,
 * true and false.
 */
export function findCall<Tool extends PageTool>(message: string, tools: Tool[]): FoundCall<Tool> | undefined {
  const tool = tools.find(({ name }) => nameIn(message, name) !== undefined);
  if (!tool) return undefined;
  const quoted: string[] = [];
  // The name itself may hold digits, and quotations may hold numbers.
  const rest = message.replace(nameIn(message, tool.name) ?? '', ' ').replace(quotation, (_, ...groups) => {
    quoted.push(String(groups.slice(0, 4).find((group) => group !== undefined) ?? ''));
    return ' ';
  });
  const found = {
    string: quoted,
    number: (rest.match(/(?<![\p{L}\p{N}.])-?\d+(\.\d+)?(?![\p{L}\p{N}])/gu) ?? []).map(Number),
    bool: (rest.toLowerCase().match(/(?<!\p{L})(yes|true|no|false)(?!\p{L})/gu) ?? []).map((word) =>
      ['yes', 'true'].includes(word),
    ),
  };
  const missing: string[] = [];
  const given: Record<string, unknown> = {};
  for (const { name, type, required } of tool.parameters) {
    const value = found[type].shift();
    if (value !== undefined) given[name] = value;
    else if (required) missing.push(name);
  }
  return { tool, arguments: given, missing };
}

/** Text in any of the usual pairs of quotation marks. An apostrophe is none. */
const quotation = /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»/g;

/** The name as the message writes it. */
function nameIn(message: string, name: string): string | undefined {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? [];
  if (words.length === 0) return undefined;
  // A name of one word is too often a word like any other: “When do you open?” is no wish to have something opened.
  const before = words.length === 1 ? '^\\s*' : '(?<![\\p{L}\\p{N}_])';
  return new RegExp(`${before}${words.join('[\\s_-]*')}(?![\\p{L}\\p{N}_])`, 'iu').exec(message)?.[0];
}
