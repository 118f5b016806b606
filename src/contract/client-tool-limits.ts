/** Limits of client tools. In a file of its own, so that only pages with tools load them. */
export const clientToolLimits = {
  /** Tools of a message, and parameters of a tool. */
  tools: { count: 16, parameters: 16 },
  /** Characters of the name of a tool: letters, digits, `_` and `-`. A parameter's name may have a single character. */
  toolName: { min: 2, max: 64 },
  /** Characters of the description of a tool or a parameter. */
  toolDescription: { max: 255 },
  /** Results of a message, and characters of a result as JSON. */
  toolResults: { count: 16, characters: 4000 },
} as const;
