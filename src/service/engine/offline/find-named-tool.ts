import type { PageTool } from '../engine.ts';

/** A tool that a message names, with arguments from the message. */
export interface NamedTool<Tool extends PageTool> {
  tool: Tool;
  arguments: Record<string, unknown>;
  /** Names of the required parameters that the message has no values for. */
  missing: string[];
}

/**
 * Finds the first tool that a message names: “show product” and “show-product” name `show_product`; a one-word name
 * counts only at the beginning. Parameters take, in order, quoted strings, numbers outside quotes, and yes, no, true
 * and false.
 */
export function findNamedTool<Tool extends PageTool>(
  message: string,
  tools: Tool[],
): NamedTool<Tool> | undefined {
  const tool = tools.find(({ name }) => matchName(message, name) !== undefined);
  if (!tool) return undefined;
  const quoted: string[] = [];
  // Numbers in the name or in quotes do not count.
  const rest = message
    .replace(matchName(message, tool.name) ?? '', ' ')
    .replace(quotation, (_, ...groups) => {
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
  const args: Record<string, unknown> = {};
  for (const { name, type, required } of tool.parameters) {
    const value = found[type].shift();
    if (value !== undefined) args[name] = value;
    else if (required) missing.push(name);
  }
  return { tool, arguments: args, missing };
}

/** Text in the usual pairs of quotation marks. Apostrophes do not count. */
const quotation = /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»/g;

/** Returns the tool's name as the message spells it. */
function matchName(message: string, name: string): string | undefined {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? [];
  if (words.length === 0) return undefined;
  // Single words are too common: “When do you open?” does not name the tool `open`.
  const before = words.length === 1 ? '^\\s*' : '(?<![\\p{L}\\p{N}_])';
  return new RegExp(`${before}${words.join('[\\s_-]*')}(?![\\p{L}\\p{N}_])`, 'iu').exec(message)?.[0];
}
